import { randomInt } from 'node:crypto';

/**
 * Bounds on a text of JSON, checked before it is parsed. The parser of V8 takes up to 200 times as
 * long for a list of empty objects, for nested objects or for members with different names as for
 * a text of the same length: 2 MiB of them block the event loop for half a second.
 */
export interface JsonBounds {
  /** Values, and the lists and objects that hold them. */
  readonly values: number;
  /** Lists and objects in each other. Recursive code overflows the stack at some thousand. */
  readonly depth: number;
  /** Different names of members. Each costs as much as ten values. */
  readonly names: number;
}

/** More than any body has, but for documents of other programs with many reports. */
export const BODY_BOUNDS: JsonBounds = { values: 20_000, depth: 64, names: 5000 };

/** More than an event of MISP of the greatest length has. */
export const MAX_DOCUMENT_VALUES = 100_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;

/** What a byte outside of texts means; 0 for all others. */
const [TEXT, COMMA, START, END] = [1, 2, 3, 4];
const MEANINGS = new Uint8Array(256);
MEANINGS[QUOTE] = TEXT;
MEANINGS[0x2c] = COMMA;
for (const bracket of [0x5b, 0x7b]) MEANINGS[bracket] = START;
for (const bracket of [0x5d, 0x7d]) MEANINGS[bracket] = END;

/** What a refusal says about each bound. */
export function boundRule(bound: keyof JsonBounds, { values, depth, names }: JsonBounds): string {
  const rules = {
    values: `at most ${values} values`,
    depth: `lists and objects at most ${depth} levels deep`,
    names: `members with at most ${names} different names`,
  };
  return rules[bound];
}

interface Counted {
  values: number;
  depth: number;
  /** Hashes of the names. */
  readonly names: Set<number>;
}

/** The bound that the text exceeds, whether or not it is valid JSON; `undefined`: none. */
export function exceededBound(bytes: Buffer, bounds: JsonBounds): keyof JsonBounds | undefined {
  const counted: Counted = { values: 1, depth: 0, names: new Set() };
  for (let index = 0; index < bytes.length; index += 1) {
    const meaning = MEANINGS[bytes[index] as number];
    if (meaning === 0) continue;
    if (meaning === TEXT) {
      const end = endOfText(bytes, index);
      if (isName(bytes, end)) counted.names.add(hashOf(bytes, index, end));
      index = end;
    } else countSign(counted, meaning);
    if (counted.values > bounds.values) return 'values';
    if (counted.depth > bounds.depth) return 'depth';
    if (counted.names.size > bounds.names) return 'names';
  }
  return undefined;
}

/** A comma or a bracket precedes at most one value. */
function countSign(counted: Counted, meaning: number | undefined): void {
  if (meaning === END) counted.depth -= 1;
  else counted.values += 1;
  if (meaning === START) counted.depth += 1;
}

/** The index of the quotation mark that ends the text, or of the end of the bytes. */
function endOfText(bytes: Buffer, start: number): number {
  for (let index = start + 1; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === QUOTE) return index;
    if (byte === BACKSLASH) index += 1;
  }
  return bytes.length;
}

function isName(bytes: Buffer, end: number): boolean {
  let index = end + 1;
  while ((bytes[index] ?? COLON) <= SPACE) index += 1;
  return bytes[index] === COLON;
}

/** Random for each process, so that a client cannot choose names with the same hash. */
const HASH_SEED = randomInt(2 ** 32);

/** FNV-1a, which is faster than a text for each name: a long document repeats few names. */
function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = HASH_SEED;
  for (let index = start; index < end; index += 1)
    hash = Math.imul(hash ^ (bytes[index] as number), 0x01000193);
  return hash;
}
