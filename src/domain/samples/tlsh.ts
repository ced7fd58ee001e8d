/**
 * A locality-sensitive hash in the format of TLSH with 128 buckets and a checksum of one byte: "T1"
 * and 70 hexadecimal digits.
 *
 *   checksum u8 | code of the length u8 | ratios of the quartiles, 4 bits each | body, 32 bytes
 *
 * The nibbles of the first two bytes are swapped. A body has two bits for each of 128 buckets.
 */
export interface Tlsh {
  readonly checksum: number;
  readonly length: number;
  /** The first and the second quartile as a percentage of the third, modulo 16. */
  readonly ratio1: number;
  readonly ratio2: number;
  /** 32 bytes, in the order of the text. */
  readonly body: Uint8Array;
}

const SHAPE = /^(?:T1)?[0-9A-F]{70}$/i;
const LENGTH_VALUES = 256;
const RATIO_VALUES = 16;
/** A difference of the length code or of a ratio beyond 1 counts this much for each step. */
const HEADER_STEP = 12;

/** In any case, with or without the version `T1`. */
export function parseTlsh(text: string): Tlsh | undefined {
  if (!SHAPE.test(text)) return undefined;
  const bytes = Buffer.from(text.slice(-70), 'hex');
  const [checksum = 0, length = 0, ratios = 0] = bytes;
  return {
    checksum: swapNibbles(checksum),
    length: swapNibbles(length),
    ratio1: ratios >> 4,
    ratio2: ratios & 15,
    body: bytes.subarray(3),
  };
}

export function formatTlsh({ checksum, length, ratio1, ratio2, body }: Tlsh): string {
  const head = [swapNibbles(checksum), swapNibbles(length), (ratio1 << 4) | ratio2];
  return `T1${Buffer.from([...head, ...body])
    .toString('hex')
    .toUpperCase()}`;
}

function swapNibbles(byte: number): number {
  return ((byte & 15) << 4) | (byte >> 4);
}

/**
 * The distance of two files, as the reference computes it with the lengths included: 0 for equal
 * digests, more than a thousand for the most different ones.
 */
export function tlshDistance(a: Tlsh, b: Tlsh): number {
  const length = circular(a.length, b.length, LENGTH_VALUES);
  return (
    (length <= 1 ? length : length * HEADER_STEP) +
    ratioDistance(a.ratio1, b.ratio1) +
    ratioDistance(a.ratio2, b.ratio2) +
    (a.checksum === b.checksum ? 0 : 1) +
    bodyDistance(a.body, b.body)
  );
}

function circular(a: number, b: number, values: number): number {
  const difference = Math.abs(a - b);
  return Math.min(difference, values - difference);
}

function ratioDistance(a: number, b: number): number {
  const difference = circular(a, b, RATIO_VALUES);
  return difference <= 1 ? difference : (difference - 1) * HEADER_STEP;
}

/** By both codes: the first and the last quartile differ by 6, others by their difference. */
const CODE_DISTANCES = [0, 1, 2, 6, 1, 0, 1, 2, 2, 1, 0, 1, 6, 2, 1, 0];

/** By two pairs of codes: a search compares a thousand bodies of 64 pairs. */
const PAIR_DISTANCES = Uint8Array.from({ length: 256 }, (_, both) => {
  const [a, b] = [both >> 4, both & 15];
  const of = (code: number, other: number) => CODE_DISTANCES[code * 4 + other] ?? 0;
  return of(a >> 2, b >> 2) + of(a & 3, b & 3);
});

function bodyDistance(a: Uint8Array, b: Uint8Array): number {
  let distance = 0;
  for (let index = 0; index < a.length; index += 1) {
    const byte = a[index] ?? 0;
    const other = b[index] ?? 0;
    distance += PAIR_DISTANCES[(byte & 0xf0) | (other >> 4)] ?? 0;
    distance += PAIR_DISTANCES[((byte & 15) << 4) | (other & 15)] ?? 0;
  }
  return distance;
}

const BAND_BYTES = 2;
const BAND_VALUES = 2 ** (8 * BAND_BYTES);

/** Files at a greater distance are not called similar. */
export const MAX_TLSH_DISTANCE = 100;

/**
 * Keys of an index of near digests: the body in sixteen bands of eight buckets each. Files with few
 * differences have some bands in common.
 */
export function tlshBands({ body }: Tlsh): readonly number[] {
  const bands: number[] = [];
  for (let at = 0; at < body.length; at += BAND_BYTES)
    bands.push((at / BAND_BYTES) * BAND_VALUES + ((body[at] ?? 0) << 8) + (body[at + 1] ?? 0));
  return bands;
}

/** The keys of digests that differ in a band by one step of one bucket: 192 on average. */
export function neighbourBands(tlsh: Tlsh): readonly number[] {
  const neighbours: number[] = [];
  for (const band of tlshBands(tlsh)) {
    for (let shift = 0; shift < 8 * BAND_BYTES; shift += 2) {
      const code = (band >> shift) & 3;
      if (code > 0) neighbours.push(band - (1 << shift));
      if (code < 3) neighbours.push(band + (1 << shift));
    }
  }
  return neighbours;
}
