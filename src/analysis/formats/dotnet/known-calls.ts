/** An encoding that lies on the stack, for the call that makes text or bytes by it. */
export interface TextEncoding {
  readonly encoding: BufferEncoding;
}

/** What a call is given, as far as it is known: a constant, or an encoding. */
type Given = string | number | null | Buffer | readonly unknown[] | TextEncoding | undefined;

/** Encodings that a program asks the class for, by the name of the call. */
export const ENCODINGS: ReadonlyMap<string, TextEncoding> = new Map([
  ['System.Text.Encoding::get_UTF8', { encoding: 'utf8' }],
  ['System.Text.Encoding::get_ASCII', { encoding: 'latin1' }],
  ['System.Text.Encoding::get_Unicode', { encoding: 'utf16le' }],
]);

/** All texts of a file together: code may double one with every step, or turn a long one around for ever. */
const MOST_SIGNS = 8 * 1024 * 1024;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

interface Known {
  /** Other forms of a call have more, such as a part of the bytes. Any number for none. */
  readonly takes?: number;
  readonly result: (...given: readonly Given[]) => string | Buffer | undefined;
}

/**
 * The few calls by which compilers and people put texts together. Each gives nothing where a part of it is not known:
 * half of a name would be another name.
 */
const CALLS: ReadonlyMap<string, Known> = new Map<string, Known>([
  ['System.String::Concat', { result: concatenated }],
  ['System.String::Trim', { takes: 1, result: trimmed }],
  ['System.String::Replace', { takes: 3, result: replaced }],
  ['System.Convert::FromBase64String', { takes: 1, result: bytesOfBase64 }],
  ['System.Text.Encoding::GetString', { takes: 2, result: textOf }],
  ['System.Text.Encoding::GetBytes', { takes: 2, result: bytesOf }],
  ['Microsoft.VisualBasic.Strings::StrReverse', { takes: 1, result: backwards }],
]);

/** Does such calls, as long as there is room for what they make. */
export class KnownCalls {
  #left = MOST_SIGNS;

  /** `title` is `Type::Method`; of a method of an object that object is given first. */
  resultOf(title: string, given: readonly Given[]): string | Buffer | undefined {
    const call = CALLS.get(title);
    if (call === undefined || given.length !== (call.takes ?? given.length)) return undefined;
    this.#left -= given.reduce<number>((sum, one) => sum + signsIn(one), 1);
    return this.#left > 0 ? call.result(...given) : undefined;
  }
}

/** What a call makes is three times that at most. */
function signsIn(given: unknown): number {
  if (Array.isArray(given)) return given.reduce<number>((sum, one) => sum + signsIn(one), 0);
  return typeof given === 'string' || Buffer.isBuffer(given) ? given.length : 0;
}

/** Texts, or one array of them. */
function concatenated(...given: readonly Given[]): string | undefined {
  const [first] = given;
  const parts: readonly unknown[] = given.length === 1 && Array.isArray(first) ? first : given;
  const isWhole = parts.length > 0 && parts.every((part) => typeof part === 'string');
  return isWhole ? parts.join('') : undefined;
}

function trimmed(text: Given): string | undefined {
  return typeof text === 'string' ? text.trim() : undefined;
}

/** Texts, or single signs, which are numbers here. One by which a text would grow is left: nobody hides a host so. */
function replaced(text: Given, what: Given, by: Given): string | undefined {
  const [from, to] = [what, by].map((one) =>
    typeof one === 'number' ? String.fromCharCode(one) : one,
  );
  if (typeof text !== 'string' || typeof from !== 'string' || typeof to !== 'string')
    return undefined;
  return from === '' || to.length > from.length ? undefined : text.replaceAll(from, () => to);
}

function bytesOfBase64(text: Given): Buffer | undefined {
  const isBase64 = typeof text === 'string' && text.length % 4 === 0 && BASE64.test(text);
  return isBase64 ? Buffer.from(text, 'base64') : undefined;
}

function textOf(by: Given, bytes: Given): string | undefined {
  return isEncoding(by) && Buffer.isBuffer(bytes) ? bytes.toString(by.encoding) : undefined;
}

function bytesOf(by: Given, text: Given): Buffer | undefined {
  return isEncoding(by) && typeof text === 'string' ? Buffer.from(text, by.encoding) : undefined;
}

function isEncoding(given: Given): given is TextEncoding {
  return typeof given === 'object' && given !== null && 'encoding' in given;
}

function backwards(text: Given): string | undefined {
  return typeof text === 'string' ? [...text].reverse().join('') : undefined;
}
