/** Compressed and encrypted content lies above this, code and text well below. */
const HIGH_BITS = 7.2;
/** Too few bytes to judge: a table of all 256 values has maximal entropy. */
const MIN_BYTES = 1024;
const VALUES = 256;

/** Shannon entropy in bits per byte, from 0 (a single value, or no bytes) to 8 (uniform). */
export function entropyOf(bytes: Buffer): number {
  let bits = 0;
  for (const count of countValues(bytes)) {
    const share = count / bytes.length;
    if (share > 0) bits -= share * Math.log2(share);
  }
  // A single value leaves a negative zero.
  return Math.max(bits, 0);
}

/** Whether content of this size and entropy is probably compressed or encrypted. */
export function isHighEntropy(bitsPerByte: number, sizeBytes: number): boolean {
  return sizeBytes >= MIN_BYTES && bitsPerByte >= HIGH_BITS;
}

/**
 * Counts in four tables: in a run of equal bytes, increments of a single counter depend on each
 * other. The tables are used again, because most contents are small: a section, a resource.
 */
const TABLES = [0, 1, 2, 3].map(() => new Uint32Array(VALUES)) as unknown as Tables;

type Tables = readonly [Uint32Array, Uint32Array, Uint32Array, Uint32Array];

/** The result is valid until the next call. */
function countValues(bytes: Buffer): Uint32Array {
  const [counts, second, third, fourth] = TABLES;
  for (const table of TABLES) table.fill(0);
  const whole = bytes.length - (bytes.length % 4);
  for (let at = 0; at < whole; at += 4) {
    increment(counts, bytes[at] ?? 0);
    increment(second, bytes[at + 1] ?? 0);
    increment(third, bytes[at + 2] ?? 0);
    increment(fourth, bytes[at + 3] ?? 0);
  }
  for (let at = whole; at < bytes.length; at += 1) increment(counts, bytes[at] ?? 0);
  for (let value = 0; value < VALUES; value += 1)
    counts[value] =
      (counts[value] ?? 0) + (second[value] ?? 0) + (third[value] ?? 0) + (fourth[value] ?? 0);
  return counts;
}

function increment(counts: Uint32Array, value: number): void {
  counts[value] = (counts[value] ?? 0) + 1;
}
