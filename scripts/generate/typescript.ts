/** The subset of JSON Schema that the OpenAPI document uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/**
 * Writes a schema as a TypeScript type. All members are read-only, so callers may pass read-only
 * lists.
 */
export function toType(schema: JsonSchema, indent = ''): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if (schema.const !== undefined) return toLiteral(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(toLiteral).join(' | ');
  if (schema.anyOf !== undefined)
    return schema.anyOf.map((member) => toType(member, indent)).join(' | ');
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return 'unknown';
  return types.map((type) => PLAIN[type] ?? toCompound(type, schema, indent)).join(' | ');
}

function toCompound(type: string, schema: JsonSchema, indent: string): string {
  if (type === 'array') {
    const { items = {} } = schema;
    const item = toType(items, indent);
    const isUnion =
      items.anyOf !== undefined || items.enum !== undefined || Array.isArray(items.type);
    return isUnion ? `readonly (${item})[]` : `readonly ${item}[]`;
  }
  if (type !== 'object') throw new Error(`a JSON schema has the unknown type ${type}`);
  if (schema.properties !== undefined) return toObject(schema, indent);
  const value = schema.additionalProperties;
  return `Readonly<Record<string, ${typeof value === 'object' ? toType(value, indent) : 'unknown'}>>`;
}

const IDENTIFIER = /^[A-Za-z_]\w*$/;

function toObject({ properties = {}, required = [] }: JsonSchema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const type = toType(schema, inner);
    const key = IDENTIFIER.test(name) ? name : `'${name}'`;
    const member = required.includes(name) ? `${key}: ${type}` : `${key}?: ${orUndefined(type)}`;
    return `${toComment(schema.description, inner)}${inner}readonly ${member};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

/** Callers may pass `undefined`, which JSON omits. */
function orUndefined(type: string): string {
  return type === 'unknown' ? type : `${type} | undefined`;
}

const COMMENT_WIDTH = 100;

export function toComment(text: string | undefined, indent = ''): string {
  if (text === undefined) return '';
  const escaped = text.replaceAll('\\<', '<').replaceAll('*/', '*\\/');
  const line = `${indent}/** ${escaped} */`;
  if (line.length <= COMMENT_WIDTH) return `${line}\n`;
  const lines = wrap(escaped, COMMENT_WIDTH - `${indent} * `.length);
  return [`${indent}/**`, ...lines.map((one) => `${indent} * ${one}`), `${indent} */\n`].join('\n');
}

export function wrap(text: string, width: number): readonly string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function toLiteral(value: unknown): string {
  return JSON.stringify(value).replaceAll('"', "'");
}
