/** Compressed and encrypted content lies above, code and text well below. */
const HIGH_BITS = 7.2;
/** Fewer bytes say nothing: a plain table of all 256 values has as much entropy as there can be. */
const LEAST_BYTES = 1024;
const VALUES = 256;

/** Shannon's entropy in bits a byte, from 0 (one value alone, or nothing) to 8 (all values alike). */
export function entropyOf(bytes: Buffer): number {
  let bits = 0;
  for (const count of countValues(bytes)) {
    const share = count / bytes.length;
    if (share > 0) bits -= share * Math.log2(share);
  }
  // Where there is but one value, the loop leaves a negative zero.
  return Math.max(bits, 0);
}

/** Whether content of that size and entropy looks compressed or encrypted. */
export function isHighEntropy(bitsPerByte: number, sizeBytes: number): boolean {
  return sizeBytes >= LEAST_BYTES && bitsPerByte >= HIGH_BITS;
}

/** Four tables in turn: in a run of one value, every addition to a single one would wait for the last. */
function countValues(bytes: Buffer): Uint32Array {
  const counts = new Uint32Array(VALUES);
  const [second, third, fourth] = [counts.slice(), counts.slice(), counts.slice()];
  const whole = bytes.length - (bytes.length % 4);
  for (let at = 0; at < whole; at += 4) {
    increment(counts, bytes[at] ?? 0);
    increment(second, bytes[at + 1] ?? 0);
    increment(third, bytes[at + 2] ?? 0);
    increment(fourth, bytes[at + 3] ?? 0);
  }
  for (let at = whole; at < bytes.length; at += 1) increment(counts, bytes[at] ?? 0);
  return counts.map(
    (count, value) => count + (second[value] ?? 0) + (third[value] ?? 0) + (fourth[value] ?? 0),
  );
}

function increment(counts: Uint32Array, value: number): void {
  counts[value] = (counts[value] ?? 0) + 1;
}
