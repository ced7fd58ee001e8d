/**
 * A context-triggered piecewise hash in the format of `ssdeep`, `blockSize:first:second`: one
 * character for each piece of the file, in `first` for pieces of about `blockSize` bytes, in
 * `second` of twice that.
 */
export interface FuzzyHash {
  /** 3 · 2^i, where i is from 0 to 30. */
  readonly blockSize: number;
  readonly first: string;
  readonly second: string;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Map([...ALPHABET].map((character, value) => [character, value]));
const SHAPE = /^([1-9][0-9]{0,9}):([A-Za-z0-9+/]{0,64}):([A-Za-z0-9+/]{0,64})$/;
const SMALLEST_BLOCK = 3;
const MAX_LEVEL = 30;

/** Two halves without a common substring of this length are similar by chance only. */
const GRAM_LENGTH = 7;
/** Gram keys: six bits for each character, the level of the block size above them. */
const GRAMS_PER_LEVEL = 64 ** GRAM_LENGTH;

/** Refuses a file name after the hash, as in the output of the tool. */
export function parseFuzzyHash(text: string): FuzzyHash | undefined {
  const [, size = '', first = '', second = ''] = SHAPE.exec(text) ?? [];
  const blockSize = Number(size);
  const level = levelOf(blockSize);
  if (!Number.isInteger(level) || level < 0 || level > MAX_LEVEL) return undefined;
  return { blockSize, first, second };
}

/**
 * The similarity of two files from 0 to 100, exactly as `ssdeep` 2.14 computes it. Only pieces of
 * the same size can be compared, so block sizes that differ by more than a factor of two give 0.
 */
export function compareFuzzyHashes(a: FuzzyHash, b: FuzzyHash): number {
  if (a.blockSize === b.blockSize) return compareEqualSizes(a, b);
  if (a.blockSize === b.blockSize * 2)
    return scoreOf(squeeze(a.first), squeeze(b.second), a.blockSize);
  if (b.blockSize === a.blockSize * 2)
    return scoreOf(squeeze(a.second), squeeze(b.first), b.blockSize);
  return 0;
}

/**
 * Keys of an index of similar hashes: two hashes share a key exactly if a half of each, both for
 * the same block size, share a gram. Otherwise their score is 0, unless they are equal. All keys
 * are safe integers.
 */
export function fuzzyGrams(hash: FuzzyHash): number[] {
  const level = levelOf(hash.blockSize);
  return [
    ...new Set([
      ...gramKeys(squeeze(hash.first), level),
      ...gramKeys(squeeze(hash.second), level + 1),
    ]),
  ];
}

function compareEqualSizes(a: FuzzyHash, b: FuzzyHash): number {
  const [firstOfA, secondOfA] = [squeeze(a.first), squeeze(a.second)];
  const [firstOfB, secondOfB] = [squeeze(b.first), squeeze(b.second)];
  if (firstOfA === firstOfB && secondOfA === secondOfB) return 100;
  return Math.max(
    scoreOf(firstOfA, firstOfB, a.blockSize),
    scoreOf(secondOfA, secondOfB, a.blockSize * 2),
  );
}

/** Shortens runs of one character: they come from uniform data and carry little information. */
function squeeze(half: string): string {
  return half.replace(/(.)\1{3,}/g, '$1$1$1');
}

function scoreOf(a: string, b: string, blockSize: number): number {
  if (!shareGram(a, b)) return 0;
  const totalLength = a.length + b.length;
  // Insertions and deletions cost 1, a replacement 2.
  const distance = totalLength - 2 * commonLength(a, b);
  // Rounded down twice, as ssdeep does.
  const share = Math.floor((distance * 64) / totalLength);
  const score = 100 - Math.floor((share * 100) / 64);
  // Limits the score of short hashes with a small block size, which cover few bytes.
  return Math.min(score, (blockSize / SMALLEST_BLOCK) * Math.min(a.length, b.length));
}

function shareGram(a: string, b: string): boolean {
  for (let end = GRAM_LENGTH; end <= a.length; end += 1) {
    if (b.includes(a.slice(end - GRAM_LENGTH, end))) return true;
  }
  return false;
}

/** The length of the longest common subsequence. */
function commonLength(a: string, b: string): number {
  const lengths = new Uint8Array(b.length + 1);
  for (let row = 0; row < a.length; row += 1) {
    const character = a.charCodeAt(row);
    let before = 0;
    for (let column = 1; column <= b.length; column += 1) {
      const above = lengths[column] ?? 0;
      const same = character === b.charCodeAt(column - 1);
      lengths[column] = same ? before + 1 : Math.max(above, lengths[column - 1] ?? 0);
      before = above;
    }
  }
  return lengths[b.length] ?? 0;
}

function gramKeys(half: string, level: number): number[] {
  const keys: number[] = [];
  let gram = 0;
  for (const [index, character] of [...half].entries()) {
    gram = ((gram * 64) % GRAMS_PER_LEVEL) + (VALUES.get(character) ?? 0);
    if (index + 1 >= GRAM_LENGTH) keys.push(level * GRAMS_PER_LEVEL + gram);
  }
  return keys;
}

function levelOf(blockSize: number): number {
  return Math.log2(blockSize / SMALLEST_BLOCK);
}
