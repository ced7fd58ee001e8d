import { copyMatch } from '../../codecs/copy-match.ts';

/**
 * The three codings of Markus Oberhumer's NRV family, as in the public UCL library: LZ77 with bits
 * and bytes in one stream.
 *
 *   bit 1              a literal byte follows
 *   bit 0              a match: distance (an integer in bits, then a byte), then length (bits)
 *   distance 2^32 - 1  the end
 *
 * Bits come in little-endian words of 8, 16 or 32, highest first. A word is read when its first bit
 * is needed, so bytes may lie between words. Integers are written bit by bit, each followed by a
 * bit that marks the last. The codings differ in their encoding of distances and lengths.
 * Reference: the UCL documentation, https://www.oberhumer.com/opensource/ucl/.
 */
export type NrvCoding = 'nrv2b' | 'nrv2d' | 'nrv2e';

export interface Nrv {
  readonly coding: NrvCoding;
  /** The size of a word of bits. */
  readonly wordBits: 8 | 16 | 32;
}

/** From this distance on a match is one byte longer. */
const LONG_DISTANCE: Readonly<Record<NrvCoding, number>> = {
  nrv2b: 0xd00,
  nrv2d: 0x500,
  nrv2e: 0x500,
};
/** The high part of the end marker, before its last byte is added. */
const MAX_HIGH_DISTANCE = 0x100_0002;
const END = 0xffff_ffff;
/** How often the time limit is checked. */
const MATCHES_BETWEEN_TIME_CHECKS = 0x1_0000;

/** Exactly `size` bytes, or `undefined` for truncated or damaged input. */
export function unpackNrv(
  packed: Buffer,
  { coding, wordBits }: Nrv,
  { size, isOver }: { readonly size: number; readonly isOver: () => boolean },
): Buffer | undefined {
  const source = new BitSource(packed, wordBits);
  const output = Buffer.alloc(size);
  const match = { distance: 1, length: 0 };
  let at = 0;
  for (let matches = 1; !source.isExhausted; matches += 1) {
    if (matches % MATCHES_BETWEEN_TIME_CHECKS === 0 && isOver()) return undefined;
    at = copyLiterals(source, output, at);
    const go = coding === 'nrv2b' ? readMatchB(source, match) : readMatchDE(source, match, coding);
    if (go === 'end') return at === size ? output : undefined;
    if (go === 'damaged' || match.distance > at || at + match.length > size) return undefined;
    copyMatch(output, at, match.distance, match.length);
    at += match.length;
  }
  return undefined;
}

/** Returns the offset where the literals end; beyond the output if there are too many. */
function copyLiterals(source: BitSource, output: Buffer, from: number): number {
  let at = from;
  while (source.bit() === 1) {
    if (at >= output.length || source.isExhausted) return output.length + 1;
    output[at] = source.byte();
    at += 1;
  }
  return at;
}

interface Match {
  /** The previous distance, which has a shorter code. */
  distance: number;
  length: number;
}

type Step = 'match' | 'end' | 'damaged';

function readMatchB(source: BitSource, match: Match): Step {
  let high = 1;
  do {
    high = high * 2 + source.bit();
    if (high > MAX_HIGH_DISTANCE) return 'damaged';
  } while (source.bit() === 0);
  if (high !== 2) {
    const distance = (high - 3) * 256 + source.byte();
    if (distance === END) return 'end';
    match.distance = distance + 1;
  }
  const short = source.bit() * 2 + source.bit();
  return finish(match, 'nrv2b', short === 0 ? source.number() + 2 : short);
}

function readMatchDE(source: BitSource, match: Match, coding: NrvCoding): Step {
  let high = 2 + source.bit();
  while (source.bit() === 0) {
    high = (high - 1) * 2 + source.bit();
    high = high * 2 + source.bit();
    if (high > MAX_HIGH_DISTANCE) return 'damaged';
  }
  let lowest: number;
  if (high === 2) {
    lowest = source.bit();
  } else {
    const distance = (high - 3) * 256 + source.byte();
    if (distance === END) return 'end';
    lowest = (distance & 1) ^ 1;
    match.distance = Math.floor(distance / 2) + 1;
  }
  const length = coding === 'nrv2d' ? lengthD(source, lowest) : lengthE(source, lowest);
  return finish(match, coding, length);
}

function lengthD(source: BitSource, lowest: number): number {
  const short = lowest * 2 + source.bit();
  return short === 0 ? source.number() + 2 : short;
}

function lengthE(source: BitSource, lowest: number): number {
  if (lowest === 1) return 1 + source.bit();
  if (source.bit() === 1) return 3 + source.bit();
  return source.number() + 3;
}

function finish(match: Match, coding: NrvCoding, length: number): Step {
  match.length = length + (match.distance > LONG_DISTANCE[coding] ? 2 : 1);
  return 'match';
}

/** Larger than any program: longer matches are damaged, and rejected because they do not fit. */
const MAX_LENGTH = 0x4000_0000;

class BitSource {
  readonly #bytes: Buffer;
  readonly #wordBits: 8 | 16 | 32;
  #at = 0;
  #word = 0;
  #bitsLeft = 0;
  /** Whether the input is exhausted. From then on all bits are 1, which ends every integer. */
  isExhausted = false;

  constructor(bytes: Buffer, wordBits: 8 | 16 | 32) {
    this.#bytes = bytes;
    this.#wordBits = wordBits;
  }

  bit(): number {
    if (this.#bitsLeft === 0) this.#readWord();
    this.#bitsLeft -= 1;
    return (this.#word >>> this.#bitsLeft) & 1;
  }

  byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) this.isExhausted = true;
    this.#at += 1;
    return byte ?? 0;
  }

  /** An integer of at least two, without its first bit. */
  number(): number {
    let value = 1;
    do value = Math.min(value * 2 + this.bit(), MAX_LENGTH);
    while (this.bit() === 0);
    return value;
  }

  #readWord(): void {
    const count = this.#wordBits / 8;
    this.#bitsLeft = this.#wordBits;
    this.#word = 0xffff_ffff;
    if (this.#at + count > this.#bytes.length) this.isExhausted = true;
    else this.#word = this.#bytes.readUIntLE(this.#at, count);
    this.#at += count;
  }
}
