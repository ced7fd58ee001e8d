/** Bytes of one or several string literals that contain `\xNN`. */
export interface EscapedLiteral {
  readonly index: number;
  readonly bytes: Buffer;
  /** How many of the bytes are written as `\xNN`. */
  readonly escapes: number;
}

/** A file in a literal may begin with letters: `MZ\x90`, `PK\x03`. */
const MAX_LEAD = 8;
/** Between two literals: `"\n"` in C, `"\nbuf += b"` in Python, `" + "`. */
const JOINT =
  /["'][ \t]{0,8};?[ \t]{0,8}[+.&\\]?\r?\n?[ \t]{0,64}(?:[A-Za-z_$]\w{0,32} ?[+.]= ?)?[+.&]?[ \t]{0,8}b?["']/y;

/**
 * Literals with at least `minBytes` bytes of which one or more are escaped. Literals that are
 * concatenated are one. Only text around `\x` is read, once.
 */
export function* escapedLiterals(text: string, minBytes: number): Generator<EscapedLiteral> {
  let from = 0;
  for (let at = text.indexOf('\\x'); at !== -1; at = text.indexOf('\\x', from)) {
    const start = literalStart(text, at, from);
    const { values, escapes, end } = readLiteral(text, start);
    if (values.length >= minBytes && escapes > 0)
      yield { index: start, bytes: Buffer.from(values), escapes };
    from = Math.max(end, at + 2);
  }
}

/** Behind the quotation mark, if it is near. */
function literalStart(text: string, hex: number, from: number): number {
  const first = Math.max(from, hex - MAX_LEAD);
  for (let at = hex - 1; at >= first; at -= 1) if (isQuote(text.charCodeAt(at))) return at + 1;
  return hex;
}

const [BACKSLASH, QUOTE, APOSTROPHE] = [0x5c, 0x22, 0x27];

function isQuote(code: number): boolean {
  return code === QUOTE || code === APOSTROPHE;
}

interface ReadLiteral {
  readonly values: readonly number[];
  readonly escapes: number;
  readonly end: number;
}

function readLiteral(text: string, start: number): ReadLiteral {
  const values: number[] = [];
  let escapes = 0;
  let at = start;
  // A literal ends at the mark that it began with; the other one is a character.
  let mark = text.charCodeAt(start - 1);
  for (;;) {
    const code = text.charCodeAt(at);
    if (isQuote(code) && (code === mark || !isQuote(mark))) {
      const next = jointEnd(text, at);
      if (next === undefined) return { values, escapes, end: at };
      mark = text.charCodeAt(next - 1);
      at = next;
      continue;
    }
    const read = code === BACKSLASH ? escapeAt(text, at) : characterOf(code);
    if (read === undefined) return { values, escapes, end: at };
    values.push(read.value);
    escapes += read.length === HEX_LENGTH ? 1 : 0;
    at += read.length;
  }
}

interface ReadByte {
  readonly value: number;
  readonly length: number;
}

/** A line break or a character beyond Latin-1 is in no literal of bytes, nor is the end. */
function characterOf(code: number): ReadByte | undefined {
  return code >= 0x20 && code <= 0xff ? { value: code, length: 1 } : undefined;
}

function jointEnd(text: string, at: number): number | undefined {
  JOINT.lastIndex = at;
  return JOINT.test(text) ? JOINT.lastIndex : undefined;
}

const HEX_LENGTH = 4;
const SIMPLE: Readonly<Record<string, number>> = {
  n: 10,
  r: 13,
  t: 9,
  a: 7,
  b: 8,
  f: 12,
  v: 11,
  '0': 0,
  '\\': BACKSLASH,
  "'": APOSTROPHE,
  '"': QUOTE,
};

function escapeAt(text: string, at: number): ReadByte | undefined {
  const letter = text.charAt(at + 1);
  if (letter === 'x') {
    const value = Number(`0x${text.slice(at + 2, at + HEX_LENGTH)}`);
    return Number.isNaN(value) || at + HEX_LENGTH > text.length
      ? undefined
      : { value, length: HEX_LENGTH };
  }
  const value = SIMPLE[letter];
  return value === undefined ? undefined : { value, length: 2 };
}
