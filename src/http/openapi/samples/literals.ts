/** How a language writes values and calls. */
export interface Language {
  readonly indent: string;
  readonly string: (text: string) => string;
  readonly constants: { readonly true: string; readonly false: string; readonly null: string };
  readonly key: (name: string) => string;
}

export const PYTHON: Language = {
  indent: '    ',
  // The escapes of JSON are those of Python.
  string: (text) => JSON.stringify(text),
  constants: { true: 'True', false: 'False', null: 'None' },
  key: (name) => JSON.stringify(name),
};

export const TYPESCRIPT: Language = {
  indent: '  ',
  string: (text) =>
    `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`,
  constants: { true: 'true', false: 'false', null: 'null' },
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : TYPESCRIPT.string(name)),
};

/** A name that is written as it is, such as a variable. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** `name(…)` as an argument, such as `NewReport(…)`. */
export class Call {
  readonly name: string;
  readonly args: readonly Argument[];

  constructor(name: string, args: readonly Argument[]) {
    this.name = name;
    this.args = args;
  }
}

/** An argument by position, or by name. */
export interface Argument {
  readonly name?: string;
  readonly value: unknown;
}

const WIDTH = 76;

/** Writes a value on one line, or on several if it is too long for one. */
export function write(value: unknown, language: Language, used = 0, depth = 0): string {
  const line = writeOnLine(value, language);
  if (used + line.length <= WIDTH && !line.includes('\n')) return line;
  const parts = partsOf(value, language);
  if (parts === undefined) return line;
  const inner = language.indent.repeat(depth + 1);
  const items = parts.items.map(({ prefix, value: item }) => {
    const written = write(item, language, inner.length + prefix.length + 1, depth + 1);
    return `${inner}${prefix}${written},\n`;
  });
  return `${parts.open}\n${items.join('')}${language.indent.repeat(depth)}${parts.close}`;
}

function writeOnLine(value: unknown, language: Language): string {
  if (value instanceof Code) return value.text;
  const parts = partsOf(value, language);
  if (parts === undefined) return writePlain(value, language);
  const items = parts.items.map(
    ({ prefix, value: item }) => `${prefix}${writeOnLine(item, language)}`,
  );
  const space = parts.open === '{' && items.length > 0 && language === TYPESCRIPT ? ' ' : '';
  return `${parts.open}${space}${items.join(', ')}${space}${parts.close}`;
}

function writePlain(value: unknown, language: Language): string {
  if (typeof value === 'string') return language.string(value);
  if (value === true || value === false) return language.constants[`${value}`];
  return value === null ? language.constants.null : String(value);
}

interface Parts {
  readonly open: string;
  readonly close: string;
  readonly items: readonly { readonly prefix: string; readonly value: unknown }[];
}

function partsOf(value: unknown, language: Language): Parts | undefined {
  if (typeof value !== 'object' || value === null || value instanceof Code) return undefined;
  if (value instanceof Call) {
    const items = value.args.map(({ name, value: argument }) => ({
      prefix: name === undefined ? '' : `${name}=`,
      value: argument,
    }));
    return { open: `${value.name}(`, close: ')', items };
  }
  if (Array.isArray(value))
    return { open: '[', close: ']', items: value.map((item) => ({ prefix: '', value: item })) };
  const items = Object.entries(value).map(([name, item]) => ({
    prefix: `${language.key(name)}: `,
    value: item,
  }));
  return { open: '{', close: '}', items };
}
