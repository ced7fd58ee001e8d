/**
 * The context-triggered piecewise hash of a file (J. Kornblum, "Identifying almost identical files
 * using context triggered piecewise hashing", 2006). The result equals that of `ssdeep` 2.14:
 *
 *   blockSize:first:second      one base64 character for each piece of the file
 *
 * A rolling sum over the last seven bytes decides where a piece ends. Level i has block size
 * 3 · 2^i. A byte ends a piece on a level if the sum plus one is divisible by its block size; then
 * it also does on every lower level. `first` belongs to the level that gives 32 to 64 pieces,
 * `second`, of half the length, to the next level.
 *
 * Two passes: the first rolls and stores where pieces end; the second hashes them for both levels.
 */
const SMALLEST_BLOCK = 3;
const FIRST_LENGTH = 64;
const SECOND_LENGTH = 32;
const WINDOW = 7;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The initial hash of a piece; only its low six bits matter. */
const PIECE_START = 0x27;
/**
 * The hot loops return after this many bytes: a function that is called often is optimised earlier
 * than one long loop.
 */
const STRIDE = 1 << 16;

/** For files below 2 GiB: offsets are 32-bit integers. */
export function ssdeep(bytes: Buffer): string {
  const ends = findPieceEnds(bytes);
  const level = ends.chosenLevel();
  const halves = hashPieces(
    bytes,
    charactersOf(bytes, ends, { level, maxCharacters: FIRST_LENGTH }),
    charactersOf(bytes, ends, { level: level + 1, maxCharacters: SECOND_LENGTH }),
  );
  return `${SMALLEST_BLOCK * 2 ** level}:${halves.join(':')}`;
}

/** The ends of the first pieces, for each level that may be chosen. */
class PieceEnds {
  /** Higher levels have too few blocks in a file of this size. */
  readonly #highest: number;
  readonly #counts: Int32Array;
  readonly #ends: Int32Array;
  /**
   * The lowest level that is not full. A byte ends a piece on this level if it does on any higher
   * one.
   */
  #open = 0;

  constructor(sizeBytes: number) {
    let level = 0;
    while (SMALLEST_BLOCK * FIRST_LENGTH * 2 ** level < sizeBytes) level += 1;
    this.#highest = level;
    // One more level for the second half.
    this.#counts = new Int32Array(level + 2);
    this.#ends = new Int32Array((level + 2) * FIRST_LENGTH);
  }

  /** Whether further bytes can only change the last character of the hash. */
  get isFull(): boolean {
    return this.#open === this.#counts.length;
  }

  /** The low bits of a sum (plus one) that must be zero for an end on an open level. */
  get mask(): number {
    return (1 << this.#open) - 1;
  }

  /** Records an end on every open level whose block size divides the sum (plus one). */
  add(sumPlusOne: number, end: number): void {
    const twos = 31 - Math.clz32(sumPlusOne & -sumPlusOne);
    const highest = Math.min(twos, this.#highest + 1);
    for (let level = this.#open; level <= highest; level += 1) {
      const count = this.countOf(level);
      this.#ends[level * FIRST_LENGTH + count] = end;
      this.#counts[level] = count + 1;
    }
    while (this.countOf(this.#open) === FIRST_LENGTH) this.#open += 1;
  }

  /** The highest level that fills at least half of the first half. */
  chosenLevel(): number {
    let level = this.#highest;
    while (level > 0 && this.countOf(level) < FIRST_LENGTH / 2) level -= 1;
    return level;
  }

  /** At most `FIRST_LENGTH`: further ends are not counted. */
  countOf(level: number): number {
    return this.#counts[level] ?? 0;
  }

  endsOf(level: number, maxCharacters: number): number[] {
    const start = level * FIRST_LENGTH;
    return [...this.#ends.subarray(start, start + Math.min(this.countOf(level), maxCharacters))];
  }
}

function findPieceEnds(bytes: Buffer): PieceEnds {
  const ends = new PieceEnds(bytes.length);
  const rolling = new RollingSum();
  // The window starts with zeros. Testing each byte for that would cost a third more time.
  const head = Buffer.concat([Buffer.alloc(WINDOW), bytes.subarray(0, WINDOW)]);
  for (const [piece, start] of [[head, -WINDOW] as const, [bytes, 0] as const]) {
    let at = WINDOW;
    while (at < piece.length && !ends.isFull) {
      at = rolling.advance(piece, at, ends.mask);
      if (isEnd(rolling.plusOne, ends.mask)) ends.add(rolling.plusOne, start + at);
    }
  }
  return ends;
}

/**
 * The sum over a window of seven bytes, c0 (the latest) to c6, modulo 2^32:
 *
 *   (c0 + … + c6)  +  (7 c0 + 6 c1 + … + 1 c6)  +  (c0 ^ c1 << 5 ^ c2 << 10 ^ …)
 *
 * `weighted` holds the first two terms.
 */
class RollingSum {
  /** As a signed integer. */
  plusOne = 1;
  #plain = 0;
  #weighted = 0;
  #shifted = 0;

  /**
   * Advances past the next byte that ends a piece, or to the end of the stride. Half of the time is
   * spent here. The loop calls no function and tests its condition at the end, so its variables
   * stay in registers (three times as fast); it rarely divides by three.
   */
  advance(bytes: Buffer, from: number, mask: number): number {
    const stop = Math.min(from + STRIDE, bytes.length);
    let plain = this.#plain | 0;
    let weighted = this.#weighted | 0;
    let shifted = this.#shifted | 0;
    let plusOne = 0;
    let at = from;
    do {
      const byte = bytes[at] ?? 0;
      const leaving = bytes[at - WINDOW] ?? 0;
      weighted = (weighted + 8 * byte - plain - leaving) | 0;
      plain = (plain + byte - leaving) | 0;
      shifted = (shifted << 5) ^ byte;
      plusOne = (weighted + shifted + 1) | 0;
      at += 1;
    } while (((plusOne & mask) !== 0 || (plusOne >>> 0) % 3 !== 0) && at < stop);
    this.#plain = plain;
    this.#weighted = weighted;
    this.#shifted = shifted;
    this.plusOne = plusOne;
    return at;
  }
}

/** The same sum at one offset, without rolling. */
function sumBefore(bytes: Buffer, end: number): number {
  let weighted = 0;
  let shifted = 0;
  for (let at = Math.max(end - WINDOW, 0); at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    weighted += (WINDOW + 1 - (end - 1 - at)) * byte;
    shifted = (shifted << 5) ^ byte;
  }
  return (weighted + shifted) | 0;
}

/**
 * A sum plus one that has wrapped to 0 ends no piece, although it is divisible by every block size.
 */
function isEnd(plusOne: number, mask: number): boolean {
  return plusOne !== 0 && (plusOne & mask) === 0 && (plusOne >>> 0) % SMALLEST_BLOCK === 0;
}

interface Half {
  readonly level: number;
  /** The maximum number of characters. */
  readonly maxCharacters: number;
}

/**
 * The offsets at which the characters of a half are written. The last of `maxCharacters` covers the
 * rest of the file. If the file ends in zeros (the sum is 0), the bytes after the last end are not
 * hashed.
 */
function charactersOf(bytes: Buffer, ends: PieceEnds, half: Half): number[] {
  const { level, maxCharacters } = half;
  const pieces = ends.endsOf(level, maxCharacters - 1);
  if (sumBefore(bytes, bytes.length) !== 0) return [...pieces, bytes.length];
  return ends.countOf(level) < maxCharacters ? pieces : [...pieces, latestEnd(bytes, level)];
}

function latestEnd(bytes: Buffer, level: number): number {
  const mask = 2 ** level - 1;
  let end = Math.min(lengthWithoutZeros(bytes) + WINDOW, bytes.length);
  while (end > 0 && !isEnd((sumBefore(bytes, end) + 1) | 0, mask)) end -= 1;
  return end;
}

function lengthWithoutZeros(bytes: Buffer): number {
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] === 0) length -= 1;
  return length;
}

/**
 * Hashes both halves in one pass. Each list holds the offsets at which a character is written and
 * the hash restarts.
 */
function hashPieces(
  bytes: Buffer,
  firstEnds: readonly number[],
  secondEnds: readonly number[],
): [string, string] {
  let [first, second] = ['', ''];
  let hashes = PIECE_START | (PIECE_START << 8);
  let at = 0;
  while (first.length < firstEnds.length || second.length < secondEnds.length) {
    const [firstEnd, secondEnd] = [firstEnds[first.length], secondEnds[second.length]];
    const end = Math.min(firstEnd ?? bytes.length, secondEnd ?? bytes.length, at + STRIDE);
    hashes = hashBoth(bytes.subarray(at, end), hashes);
    at = end;
    if (firstEnd === end) {
      first += ALPHABET[hashes & 63];
      hashes = (hashes & 0xff00) | PIECE_START;
    }
    if (secondEnd === end) {
      second += ALPHABET[hashes >> 8];
      hashes = (hashes & 0xff) | (PIECE_START << 8);
    }
  }
  return [first, second];
}

/** Computes two hashes over the same bytes, so that the two multiplications overlap. */
function hashBoth(bytes: Buffer, hashes: number): number {
  let low = hashes & 63;
  let high = hashes >> 8;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    low = Math.imul(low, 19) ^ byte;
    high = Math.imul(high, 19) ^ byte;
  }
  return (low & 63) | ((high & 63) << 8);
}
