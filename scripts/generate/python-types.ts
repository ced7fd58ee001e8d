import { toAttribute, toClass, toSingular } from './python-names.ts';
import { type JsonSchema, wrap } from './typescript.ts';

const PLAIN: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

const INDENT = '    ';
const WIDTH = 100;

/** Says only that the status is a success. */
const isSuccessFlag = (name: string, schema: JsonSchema) =>
  /^success(?:ful)?$/.test(name) && schema.const === true;

/** Members of a request that the server ignores have no type. */
const isUntyped = ({ $ref, type, anyOf, enum: values, ...schema }: JsonSchema) =>
  [$ref, type, anyOf, values, schema.const].every((part) => part === undefined);

interface Options {
  /** Requests accept any sequence; responses hold tuples, which cannot change. */
  readonly isRequest: boolean;
}

/**
 * Writes object schemas as frozen dataclasses. An object without a name of its own is named after
 * the members that lead to it; equal objects share the class of the first.
 */
export class PythonTypes {
  readonly #classes: string[] = [];
  readonly #names = new Map<string, string>();

  get text(): string {
    return this.#classes.join('\n\n');
  }

  addClass(name: string, schema: JsonSchema, options: Options): string {
    // Nested classes are written first, as they are named while this one is read.
    const members = Object.entries(schema.properties ?? {})
      .filter(([member, one]) => !isSuccessFlag(member, one) && !isUntyped(one))
      .map(([member, one]) =>
        this.#member(name, member, one, {
          ...options,
          isRequired: schema.required?.includes(member) === true,
        }),
      );
    const docstring = toDocstring(schema.description);
    const body = [...docstring, ...(docstring.length > 0 ? [''] : []), ...members.flat()];
    this.#classes.push(
      `@dataclass(frozen=True, slots=True, kw_only=True)\nclass ${name}:\n${body.join('\n')}\n`,
    );
    return name;
  }

  #member(
    owner: string,
    name: string,
    schema: JsonSchema,
    { isRequired, isRequest }: Options & { readonly isRequired: boolean },
  ): readonly string[] {
    const isFlag = schema.const === true && !isRequired;
    const type = this.#type(schema, `${owner}${toClass(name)}`, { isRequest });
    const known = isRequired || isFlag || / \| None$/.test(type) ? type : `${type} | None`;
    const fallback = isRequired ? '' : `default=${isFlag ? 'False' : 'None'}, `;
    const value = `_field(${fallback}metadata={"wire": "${name}"})`;
    return [
      ...breakLiteral(`${INDENT}${toAttribute(name)}: ${known} = ${value}`),
      ...toDocstring(schema.description),
    ];
  }

  #type(schema: JsonSchema, name: string, options: Options): string {
    if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'Any';
    if (schema.const === true) return 'bool';
    if (schema.const !== undefined) return `Literal[${JSON.stringify(schema.const)}]`;
    if (schema.enum !== undefined)
      return `Literal[${schema.enum.map((value) => JSON.stringify(value)).join(', ')}]`;
    if (schema.anyOf !== undefined) return this.#union(schema.anyOf, name, options);
    const types = [schema.type ?? []].flat();
    if (types.length === 0) return 'Any';
    return types
      .map((type) => PLAIN[type] ?? this.#compound(type, schema, name, options))
      .join(' | ');
  }

  #union(members: readonly JsonSchema[], name: string, options: Options): string {
    const values = members.map((member) => member.const);
    if (values.every((value) => value !== undefined))
      return `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
    return members.map((member) => this.#type(member, name, options)).join(' | ');
  }

  #compound(type: string, schema: JsonSchema, name: string, options: Options): string {
    if (type === 'array') {
      const item = this.#type(schema.items ?? {}, toSingular(name), options);
      return options.isRequest ? `Sequence[${item}]` : `tuple[${item}, ...]`;
    }
    if (type !== 'object') throw new Error(`a JSON schema has the unknown type ${type}`);
    if (schema.properties !== undefined) return this.#nested(schema, name, options);
    const value = schema.additionalProperties;
    const item = typeof value === 'object' ? this.#type(value, name, options) : 'Any';
    return `Mapping[str, ${item}]`;
  }

  #nested(schema: JsonSchema, name: string, options: Options): string {
    const { description: _, ...shape } = schema;
    const key = JSON.stringify([options, shape]);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    this.#names.set(key, name);
    return this.addClass(name, schema, options);
  }
}

function toDocstring(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const escaped = text.replaceAll('\\<', '<').replaceAll('\\', '\\\\').replaceAll('"', "'");
  const line = `${INDENT}"""${escaped}"""`;
  if (line.length <= WIDTH) return [line];
  const [first = '', ...others] = wrap(escaped, WIDTH - INDENT.length - 3);
  return [`${INDENT}"""${first}`, ...others.map((other) => `${INDENT}${other}`), `${INDENT}"""`];
}

/** A long list of values gets a line for each. */
function breakLiteral(line: string): readonly string[] {
  const [, head = '', values = '', tail = ''] = /^(.*?Literal\[)([^\]]*)(\].*)$/.exec(line) ?? [];
  if (line.length <= WIDTH || head === '') return [line];
  const lines = values.split(', ').map((value) => `${INDENT}${INDENT}${value},`);
  return [head, ...lines, `${INDENT}${tail}`];
}
