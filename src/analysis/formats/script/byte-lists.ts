/** A list of byte values in a text, such as `0xfc, 0xe8` or `Array(-4, -24)`. */
export interface ByteList {
  readonly index: number;
  readonly bytes: Buffer;
  /** Whether values are negative, as Visual Basic and Java write bytes above 127. */
  readonly isSigned: boolean;
}

/**
 * Lists of at least `minValues` numbers from -128 to 255 with commas between them: decimal, `0x` or
 * `&H`, each possibly after `(byte)` or a comment. A number of another form ends a list. The text
 * is read once, from the first character to the last.
 */
export function* byteLists(text: string, minValues: number): Generator<ByteList> {
  let at = 0;
  while (at < text.length) {
    const kind = kindAt(text, at);
    if (kind === WORD) at = wordEnd(text, at);
    else if (kind === OTHER) at += 1;
    else {
      const list = readList(text, at);
      if (list.values.length >= minValues) {
        const isSigned = list.values.some((value) => value < 0);
        yield { index: at, bytes: Buffer.from(list.values), isSigned };
      }
      at = Math.max(list.end, at + 1);
    }
  }
}

const OTHER = 0;
const WORD = 1;
const NUMBER = 2;
/** What a character can begin. */
const KINDS = new Uint8Array(256);
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$.')
  KINDS[letter.charCodeAt(0)] = WORD;
for (const digit of '-&0123456789') KINDS[digit.charCodeAt(0)] = NUMBER;

function kindAt(text: string, at: number): number {
  return KINDS[text.charCodeAt(at)] ?? OTHER;
}

const [MINUS, AMPERSAND, COMMA] = [0x2d, 0x26, 0x2c];

function isWordOrDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return KINDS[code] === WORD || (code >= 0x30 && code <= 0x39);
}

function wordEnd(text: string, from: number): number {
  let at = from;
  while (isWordOrDigit(text, at)) at += 1;
  return at;
}

/** The values from an index on. `end` is behind the last character that was read. */
function readList(text: string, from: number): { values: number[]; end: number } {
  const values: number[] = [];
  let at = from;
  for (;;) {
    const isNegative = text.charCodeAt(at) === MINUS;
    const start = isNegative ? at + 1 : at;
    const end = wordEnd(text, text.charCodeAt(start) === AMPERSAND ? start + 1 : start);
    const value = numberAt(text, start, end);
    if (value === undefined || (isNegative && value > 128)) return { values, end };
    values.push(isNegative ? -value : value);
    const separator = skipBlanks(text, end);
    if (text.charCodeAt(separator) !== COMMA) return { values, end: separator };
    at = skipBetween(text, separator + 1);
  }
}

/** `0xff`, `&HFF` and `255` are the longest forms. */
const MAX_LENGTH = 4;

function numberAt(text: string, start: number, end: number): number | undefined {
  if (end === start || end - start > MAX_LENGTH) return undefined;
  const second = text.charCodeAt(start + 1) | 0x20;
  if (text.charCodeAt(start) === AMPERSAND)
    return second === LETTER_H ? digits(text, start + 2, end, 16) : undefined;
  if (second === LETTER_X && text.charCodeAt(start) === DIGIT_0)
    return digits(text, start + 2, end, 16);
  const value = digits(text, start, end, 10);
  return value === undefined || value > 255 ? undefined : value;
}

const [LETTER_H, LETTER_X, DIGIT_0] = [0x68, 0x78, 0x30];

function digits(text: string, start: number, end: number, base: 10 | 16): number | undefined {
  let value = 0;
  for (let at = start; at < end; at += 1) {
    const digit = digitOf(text.charCodeAt(at));
    if (digit >= base) return undefined;
    value = value * base + digit;
  }
  return end > start ? value : undefined;
}

function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : 99;
}

/** A cast before a value, as Java needs it; a comment that numbers the lines. */
const CAST_OR_COMMENT = /\(byte\)|\/\/[^\r\n]{0,80}[\r\n]|\/\*[^*]{0,80}\*\//iy;
const [PARENTHESIS, SLASH] = [0x28, 0x2f];

function skipBetween(text: string, from: number): number {
  let at = skipBlanks(text, from);
  // A comment and a cast.
  for (let count = 0; count < 2; count += 1) {
    const code = text.charCodeAt(at);
    if (code !== PARENTHESIS && code !== SLASH) return at;
    CAST_OR_COMMENT.lastIndex = at;
    if (!CAST_OR_COMMENT.test(text)) return at;
    at = skipBlanks(text, CAST_OR_COMMENT.lastIndex);
  }
  return at;
}

const MAX_BLANKS = 64;
const UNDERSCORE = 0x5f;

/** Blanks, line breaks, and the underscore that continues a line in Visual Basic. */
function skipBlanks(text: string, from: number): number {
  const last = Math.min(text.length, from + MAX_BLANKS);
  let at = from;
  for (; at < last; at += 1) {
    const code = text.charCodeAt(at);
    const continues = code === UNDERSCORE && isLineBreak(text.charCodeAt(at + 1));
    if (code !== 0x20 && code !== 9 && !isLineBreak(code) && !continues) return at;
  }
  return at;
}

function isLineBreak(code: number): boolean {
  return code === 10 || code === 13;
}
