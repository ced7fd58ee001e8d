import { formatTlsh } from '../../domain/samples/tlsh.ts';

/**
 * The locality-sensitive hash of Trend Micro (J. Oliver, C. Cheng, Y. Chen, "TLSH – A Locality
 * Sensitive Hash", 2013), with 128 buckets and a checksum of one byte. The result equals that of
 * the reference, version 4.12 or newer.
 *
 * A window of five bytes slides over the file. At each position, six triples of the window that
 * contain its newest byte are hashed, each with its own salt, and counted in one of 256 buckets.
 * The body has two bits for each of the first 128 buckets: the quartile of its count.
 *
 *   bytes of the triple, by age   0 1 2   0 1 3   0 2 3   0 2 4   0 1 4   0 3 4
 *   salt                              2       3       5       7      11      13
 *
 * The checksum hashes the two newest bytes and its previous value, with the salt 0.
 */
const WINDOW = 5;
const BUCKETS = 256;
const USED_BUCKETS = 128;
/** Fewer bytes, or fewer buckets with a count, say too little. */
const MIN_BYTES = 50;
const MIN_FILLED = USED_BUCKETS / 2 + 1;
/**
 * The loop returns after this many bytes: a function that is called often is optimised earlier than
 * one long loop. Without it, the first analysis of a file of 20 MB takes 1.7 times as long.
 */
const STRIDE = 1 << 16;

/** The permutation of P. K. Pearson, "Fast hashing of variable-length text strings", 1990. */
const PEARSON = new Uint8Array(
  Buffer.from(
    '0157310cb0b266a679c10654f9e62ca30ec5d5b5a155da5040ef18e2ec8e26c8' +
      '6eb168678dfdff324d6551122d601fde196bbe4656edf02248f214d6f4e395eb' +
      '61ea39163cfa52afd0057fc76f3e87f8aea9d33a429a6ac3f5ab11bbb6b300f3' +
      '8438944b80859e64827e5b0d99f6d8db7744df4e5358c9637a0b5c208872340a' +
      '8a1e30b79c233d1a8f4afb5e81a23f98aa0773a7f1ce0396373b97dc5a351783' +
      '7dad0fee4f5f59106989e1e0d9a0257b7649029d2e74099186e4cfd4cad745e5' +
      '1bbc437ca8fc2a041d6c15f713cd27cbe928ba93c6c09b21a4bf62cca5b4754c' +
      '8c24d2ac29369f08b9e871c4e72f927833411c90fedd5dbdc28b702b476db8d1',
    'hex',
  ),
);

/** For files below 2 GiB: offsets are 32-bit integers. */
export function tlsh(bytes: Buffer): string | undefined {
  if (bytes.length < MIN_BYTES) return undefined;
  const counts = new Int32Array(BUCKETS);
  let checksum = 0;
  for (let end = WINDOW - 1; end < bytes.length; end += STRIDE) {
    const piece = bytes.subarray(end - WINDOW + 1, Math.min(end + STRIDE, bytes.length));
    checksum = countTriples(piece, counts, checksum);
  }
  const used = counts.subarray(0, USED_BUCKETS);
  const sorted = used.toSorted();
  const [q1 = 0, q2 = 0, q3 = 0] = [sorted[31], sorted[63], sorted[95]];
  if (q3 === 0 || used.filter((count) => count > 0).length < MIN_FILLED) return undefined;
  return formatTlsh({
    checksum,
    length: lengthCode(bytes.length),
    ratio1: ratioCode(q1, q3),
    ratio2: ratioCode(q2, q3),
    body: bodyOf(used, [q1, q2, q3]),
  });
}

function permuted(byte: number): number {
  return PEARSON[byte] ?? 0;
}

/** The salts after the first step of a hash. */
const [SALT_0, SALT_2, SALT_3, SALT_5, SALT_7, SALT_11, SALT_13] = [
  permuted(0),
  permuted(2),
  permuted(3),
  permuted(5),
  permuted(7),
  permuted(11),
  permuted(13),
];

function hashOf(salted: number, a: number, b: number, c: number): number {
  return permuted(permuted(permuted(salted ^ a) ^ b) ^ c);
}

/** Counts the triples of every window in `bytes`, and returns the new checksum. */
function countTriples(bytes: Buffer, counts: Int32Array, checksum: number): number {
  let sum = checksum;
  for (let at = WINDOW - 1; at < bytes.length; at += 1) {
    const age0 = bytes[at] ?? 0;
    const age1 = bytes[at - 1] ?? 0;
    const age2 = bytes[at - 2] ?? 0;
    const age3 = bytes[at - 3] ?? 0;
    const age4 = bytes[at - 4] ?? 0;
    sum = hashOf(SALT_0, age0, age1, sum);
    increment(counts, hashOf(SALT_2, age0, age1, age2));
    increment(counts, hashOf(SALT_3, age0, age1, age3));
    increment(counts, hashOf(SALT_5, age0, age2, age3));
    increment(counts, hashOf(SALT_7, age0, age2, age4));
    increment(counts, hashOf(SALT_11, age0, age1, age4));
    increment(counts, hashOf(SALT_13, age0, age3, age4));
  }
  return sum;
}

function increment(counts: Int32Array, bucket: number): void {
  counts[bucket] = (counts[bucket] ?? 0) + 1;
}

/** log 1.5, log 1.3 and log 1.1 with as many digits as the reference has. */
const LOG_1_5 = 0.4054651;
const LOG_1_3 = 0.26236426;
const LOG_1_1 = 0.09531018;

/**
 * The logarithm of the size, with a base that falls as the file grows. The logarithm is in single
 * precision, as in the reference: otherwise some sizes of more than 190,000 bytes get another code.
 */
function lengthCode(sizeBytes: number): number {
  const logarithm = Math.fround(Math.log(Math.fround(sizeBytes)));
  if (sizeBytes <= 656) return Math.floor(logarithm / LOG_1_5);
  if (sizeBytes <= 3199) return Math.floor(logarithm / LOG_1_3 - 8.72777);
  return Math.floor(logarithm / LOG_1_1 - 62.5472) & 0xff;
}

/** In single precision, as the reference computes it. */
function ratioCode(quartile: number, third: number): number {
  return Math.trunc(Math.fround(Math.fround(quartile * 100) / Math.fround(third))) % 16;
}

/** Four buckets in each byte, the first in the low bits; the last byte first. */
function bodyOf(counts: Int32Array, quartiles: readonly number[]): Uint8Array {
  const body = new Uint8Array(USED_BUCKETS / 4);
  for (const [bucket, count] of counts.entries()) {
    const quartile = quartiles.filter((limit) => count > limit).length;
    const at = body.length - 1 - (bucket >> 2);
    body[at] = (body[at] ?? 0) | (quartile << ((bucket & 3) * 2));
  }
  return body;
}
