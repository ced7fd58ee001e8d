/** An encoding object on the evaluation stack. */
export interface TextEncoding {
  readonly encoding: BufferEncoding;
}

/** An argument: a constant, an encoding, or unknown. */
type Argument = string | number | null | Buffer | readonly unknown[] | TextEncoding | undefined;

/** Getters of `System.Text.Encoding`. */
export const ENCODINGS: ReadonlyMap<string, TextEncoding> = new Map([
  ['System.Text.Encoding::get_UTF8', { encoding: 'utf8' }],
  ['System.Text.Encoding::get_ASCII', { encoding: 'latin1' }],
  ['System.Text.Encoding::get_Unicode', { encoding: 'utf16le' }],
]);

/** Limit for all calls of a file: code may double a text with every call. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

interface KnownCall {
  /** Argument count of the supported overload; any count if absent. */
  readonly argumentCount?: number;
  readonly result: (...args: readonly Argument[]) => string | Buffer | undefined;
}

/**
 * The framework calls that are evaluated. A call with an unknown argument gives `undefined`: a
 * partial host name would be a different host.
 */
const CALLS: ReadonlyMap<string, KnownCall> = new Map<string, KnownCall>([
  ['System.String::Concat', { result: concatenated }],
  ['System.String::Trim', { argumentCount: 1, result: trimmed }],
  ['System.String::Replace', { argumentCount: 3, result: replaced }],
  ['System.Convert::FromBase64String', { argumentCount: 1, result: bytesOfBase64 }],
  ['System.Text.Encoding::GetString', { argumentCount: 2, result: textOf }],
  ['System.Text.Encoding::GetBytes', { argumentCount: 2, result: bytesOf }],
  ['Microsoft.VisualBasic.Strings::StrReverse', { argumentCount: 1, result: reversed }],
]);

/** Evaluates such calls until `MAX_CHARACTERS` is used up. */
export class KnownCalls {
  #charactersLeft = MAX_CHARACTERS;

  /** `method` is `Type::Name`. The first argument of an instance method is the object. */
  resultOf(method: string, args: readonly Argument[]): string | Buffer | undefined {
    const call = CALLS.get(method);
    if (call === undefined || args.length !== (call.argumentCount ?? args.length)) return undefined;
    this.#charactersLeft -= args.reduce<number>((sum, one) => sum + characterCount(one), 1);
    return this.#charactersLeft > 0 ? call.result(...args) : undefined;
  }
}

/** The result of a call is at most three times as long. */
function characterCount(argument: unknown): number {
  if (Array.isArray(argument))
    return argument.reduce<number>((sum, one) => sum + characterCount(one), 0);
  return typeof argument === 'string' || Buffer.isBuffer(argument) ? argument.length : 0;
}

/** Takes texts or one array of texts. */
function concatenated(...args: readonly Argument[]): string | undefined {
  const [first] = args;
  const parts: readonly unknown[] = args.length === 1 && Array.isArray(first) ? first : args;
  const isWhole = parts.length > 0 && parts.every((part) => typeof part === 'string');
  return isWhole ? parts.join('') : undefined;
}

function trimmed(text: Argument): string | undefined {
  return typeof text === 'string' ? text.trim() : undefined;
}

/** Takes texts, or characters as numbers. Replacements that lengthen the text are not evaluated. */
function replaced(text: Argument, search: Argument, replacement: Argument): string | undefined {
  const [from, to] = [search, replacement].map((one) =>
    typeof one === 'number' ? String.fromCharCode(one) : one,
  );
  if (typeof text !== 'string' || typeof from !== 'string' || typeof to !== 'string')
    return undefined;
  return from === '' || to.length > from.length ? undefined : text.replaceAll(from, () => to);
}

function bytesOfBase64(text: Argument): Buffer | undefined {
  const isBase64 = typeof text === 'string' && text.length % 4 === 0 && BASE64.test(text);
  return isBase64 ? Buffer.from(text, 'base64') : undefined;
}

function textOf(encoding: Argument, bytes: Argument): string | undefined {
  return isEncoding(encoding) && Buffer.isBuffer(bytes)
    ? bytes.toString(encoding.encoding)
    : undefined;
}

function bytesOf(encoding: Argument, text: Argument): Buffer | undefined {
  return isEncoding(encoding) && typeof text === 'string'
    ? Buffer.from(text, encoding.encoding)
    : undefined;
}

function isEncoding(argument: Argument): argument is TextEncoding {
  return typeof argument === 'object' && argument !== null && 'encoding' in argument;
}

function reversed(text: Argument): string | undefined {
  return typeof text === 'string' ? [...text].reverse().join('') : undefined;
}
