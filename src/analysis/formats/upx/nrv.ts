import { copyMatch } from '../../codecs/copy-match.ts';

/**
 * The three codings of Markus Oberhumer's NRV family, as the public UCL library has them: LZ77 with bits and bytes in one stream.
 *
 *   bit 1              one byte follows that stands for itself
 *   bit 0              a match: how far back (a number in bits, then a byte), then how long (bits)
 *   distance 2^32 - 1  the end
 *
 * Bits come in words of 8, 16 or 32, the highest first, the words little-endian; a word is read when its first bit is
 * wanted, so that bytes stand between words. Numbers are written bit by bit, each followed by one that says whether
 * it was the last. The codings differ in how they write distances and lengths. Reference: the UCL documentation,
 * https://www.oberhumer.com/opensource/ucl/.
 */
export type NrvCoding = 'nrv2b' | 'nrv2d' | 'nrv2e';

export interface Nrv {
  readonly coding: NrvCoding;
  /** Bits that are read at once. */
  readonly wordBits: 8 | 16 | 32;
}

/** From this distance on a match is one byte longer: nearer ones are worth it sooner. */
const LONG_DISTANCE: Readonly<Record<NrvCoding, number>> = {
  nrv2b: 0xd00,
  nrv2d: 0x500,
  nrv2e: 0x500,
};
/** What stands for the end, before its last byte is added. */
const MOST_DISTANCE = 0x100_0002;
const END = 0xffff_ffff;
/** How often the clock is looked at. */
const MATCHES_BETWEEN_LOOKS = 0x1_0000;

/** Exactly so many bytes, or nothing: whatever is cut or damaged does not end where it should. */
export function unpackNrv(
  packed: Buffer,
  { coding, wordBits }: Nrv,
  { size, isOver }: { readonly size: number; readonly isOver: () => boolean },
): Buffer | undefined {
  const source = new BitSource(packed, wordBits);
  const output = Buffer.alloc(size);
  const match = { distance: 1, length: 0 };
  let at = 0;
  for (let matches = 1; !source.isSpent; matches += 1) {
    if (matches % MATCHES_BETWEEN_LOOKS === 0 && isOver()) return undefined;
    at = copyLiterals(source, output, at);
    const go = coding === 'nrv2b' ? readMatchB(source, match) : readMatchDE(source, match, coding);
    if (go === 'end') return at === size ? output : undefined;
    if (go === 'damaged' || match.distance > at || at + match.length > size) return undefined;
    copyMatch(output, at, match.distance, match.length);
    at += match.length;
  }
  return undefined;
}

/** Gives where it stopped: beyond the end where there were more than fit. */
function copyLiterals(source: BitSource, output: Buffer, from: number): number {
  let at = from;
  while (source.bit() === 1) {
    if (at >= output.length || source.isSpent) return output.length + 1;
    output[at] = source.byte();
    at += 1;
  }
  return at;
}

interface Match {
  /** Kept from match to match: the last one is written shorter. */
  distance: number;
  length: number;
}

type Step = 'match' | 'end' | 'damaged';

function readMatchB(source: BitSource, match: Match): Step {
  let high = 1;
  do {
    high = high * 2 + source.bit();
    if (high > MOST_DISTANCE) return 'damaged';
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
    if (high > MOST_DISTANCE) return 'damaged';
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

/** Larger than any program: what is longer is damaged, and is refused as not fitting. */
const MOST_LENGTH = 0x4000_0000;

class BitSource {
  readonly #bytes: Buffer;
  readonly #wordBits: 8 | 16 | 32;
  #at = 0;
  #word = 0;
  #bitsLeft = 0;
  /** Whether more was asked for than there is. From then on bits are 1, which ends every number. */
  isSpent = false;

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
    if (byte === undefined) this.isSpent = true;
    this.#at += 1;
    return byte ?? 0;
  }

  /** A number of two or more, without its first bit. */
  number(): number {
    let value = 1;
    do value = Math.min(value * 2 + this.bit(), MOST_LENGTH);
    while (this.bit() === 0);
    return value;
  }

  #readWord(): void {
    const count = this.#wordBits / 8;
    this.#bitsLeft = this.#wordBits;
    this.#word = 0xffff_ffff;
    if (this.#at + count > this.#bytes.length) this.isSpent = true;
    else this.#word = this.#bytes.readUIntLE(this.#at, count);
    this.#at += count;
  }
}
