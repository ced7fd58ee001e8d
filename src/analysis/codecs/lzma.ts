import { copyMatch } from './copy-match.ts';
import {
  ALIGN_BITS,
  DISTANCE_SLOTS,
  LENGTH_STATES,
  OFFSETS,
  POSITION_STATES,
} from './lzma-probabilities.ts';

/**
 * Decodes raw LZMA, as in packed programs and inside xz. A range coder yields bits, each with an
 * adaptive probability of 11 bits:
 *
 *   0 + literal             one byte; its probabilities depend on the previous byte and the
 *                           position (lc, lp)
 *   1 0 + length + distance
 *   1 1 …                   one of the last four distances: 1100 is one byte;
 *                           1101, 1110, 1111 0, 1111 1 are followed by a length
 *
 * Reference: the public-domain "LZMA specification", https://www.7-zip.org/sdk.html.
 */
export interface LzmaProperties {
  /** Literal context bits: high bits of the previous byte, at most 8. */
  readonly lc: number;
  /** Literal position bits: low bits of the position, at most 4. */
  readonly lp: number;
  /** Position bits for everything but literals, at most 4. */
  readonly pb: number;
}

const RANGE = 0;
const CODE = 1;
const PROBABILITY_START = 1024;
const MATCH_MIN = 2;
const END_DISTANCE = 0xffff_ffff;
/** Bytes that initialise the range coder; the first of them is zero. */
const CODER_START_BYTES = 5;
/** How often the time limit is checked. */
const STEPS_BETWEEN_TIME_CHECKS = 0x1_0000;

export function isLzmaProperties({ lc, lp, pb }: LzmaProperties): boolean {
  return lc <= 8 && lp <= 4 && pb <= 4;
}

/** Decodes exactly `size` bytes; `undefined` if that is not possible. */
export function unpackLzma(
  packed: Buffer,
  properties: LzmaProperties,
  { size, isOver }: { readonly size: number; readonly isOver: () => boolean },
): Buffer | undefined {
  if (!isLzmaProperties(properties)) return undefined;
  const output = Buffer.alloc(size);
  const decoder = new LzmaDecoder(output, isOver);
  decoder.reset(properties);
  return decoder.decode(packed, size) ? output : undefined;
}

/** Decodes consecutive chunks into one output, which is also the dictionary. */
export class LzmaDecoder {
  readonly #output: Buffer;
  readonly #isOver: () => boolean;
  #properties: LzmaProperties = { lc: 0, lp: 0, pb: 0 };
  #probabilities = new Uint16Array(OFFSETS.literals);
  #state = 0;
  /** The last four distances minus one, in separate fields for speed. */
  #last0 = 0;
  #last1 = 0;
  #last2 = 0;
  #last3 = 0;
  #start = 0;
  #at = 0;
  #input: Buffer = Buffer.alloc(0);
  #next = 0;
  /** Range and code. In plain fields, 32-bit numbers would be allocated as objects. */
  readonly #coder = new Uint32Array(2);
  #isEnd = false;

  constructor(output: Buffer, isOver: () => boolean) {
    this.#output = output;
    this.#isOver = isOver;
  }

  /** The number of bytes written. */
  get length(): number {
    return this.#at;
  }

  /** Resets the probabilities, and the properties if given. */
  reset(properties: LzmaProperties = this.#properties): void {
    const { lc, lp } = properties;
    this.#properties = properties;
    this.#probabilities = new Uint16Array(OFFSETS.literals + (0x300 << (lc + lp)));
    this.#probabilities.fill(PROBABILITY_START);
    this.#state = 0;
    this.#last0 = 0;
    this.#last1 = 0;
    this.#last2 = 0;
    this.#last3 = 0;
  }

  /** Later matches may not refer to earlier output. */
  resetDictionary(): void {
    this.#start = this.#at;
  }

  /** Appends uncompressed bytes. */
  copy(bytes: Buffer): boolean {
    if (this.#at + bytes.length > this.#output.length) return false;
    bytes.copy(this.#output, this.#at);
    this.#at += bytes.length;
    return true;
  }

  /** Decodes `count` bytes of a chunk; `false` if it is damaged or does not fit. */
  decode(input: Buffer, count: number): boolean {
    const end = this.#at + count;
    if (end > this.#output.length || input.length < CODER_START_BYTES || input[0] !== 0)
      return false;
    this.#input = input;
    this.#coder[RANGE] = 0xffff_ffff;
    this.#coder[CODE] = input.readUInt32BE(1);
    this.#next = CODER_START_BYTES;
    this.#isEnd = false;
    for (let steps = 1; this.#at < end; steps += 1) {
      if (!this.#step(end) || this.#isEnd || this.#next > input.length) return false;
      if (steps % STEPS_BETWEEN_TIME_CHECKS === 0 && this.#isOver()) return false;
    }
    return true;
  }

  #step(end: number): boolean {
    const positionState = (this.#at - this.#start) & ((1 << this.#properties.pb) - 1);
    const stateAndPosition = this.#state * POSITION_STATES + positionState;
    if (this.#bit(OFFSETS.isMatch + stateAndPosition) === 0) {
      this.#literal();
      return true;
    }
    const length = this.#matchLength(positionState, stateAndPosition);
    const distance = this.#last0 + 1;
    if (this.#isEnd || distance > this.#at - this.#start || this.#at + length > end) return false;
    copyMatch(this.#output, this.#at, distance, length);
    this.#at += length;
    return true;
  }

  #literal(): void {
    const { lc, lp } = this.#properties;
    const before = this.#at > this.#start ? (this.#output[this.#at - 1] as number) : 0;
    const position = (this.#at - this.#start) & ((1 << lp) - 1);
    const base = OFFSETS.literals + 0x300 * ((position << lc) + (before >> (8 - lc)));
    let symbol = 1;
    if (this.#state >= 7) symbol = this.#bitsAfterMatch(base);
    while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(base + symbol);
    this.#output[this.#at] = symbol & 0xff;
    this.#at += 1;
    this.#state = this.#state < 4 ? 0 : this.#state - (this.#state < 10 ? 3 : 6);
  }

  /**
   * After a match, the byte at the last distance predicts the literal until the first differing
   * bit.
   */
  #bitsAfterMatch(base: number): number {
    const distance = this.#last0 + 1;
    let expected = this.#output[this.#at - distance] ?? 0;
    let symbol = 1;
    while (symbol < 0x100) {
      const hint = (expected >> 7) & 1;
      expected <<= 1;
      const bit = this.#bit(base + ((1 + hint) << 8) + symbol);
      symbol = (symbol << 1) | bit;
      if (hint !== bit) break;
    }
    return symbol;
  }

  /** Reads the length, and moves the distance to the front of the last four. */
  #matchLength(positionState: number, stateAndPosition: number): number {
    const wasLiteral = this.#state < 7;
    if (this.#bit(OFFSETS.isRepeat + this.#state) === 0) {
      this.#last3 = this.#last2;
      this.#last2 = this.#last1;
      this.#last1 = this.#last0;
      this.#state = wasLiteral ? 7 : 10;
      const length = this.#lengthAt(OFFSETS.length, positionState);
      this.#last0 = this.#distance(length);
      this.#isEnd = this.#last0 === END_DISTANCE;
      return length + MATCH_MIN;
    }
    if (this.#bit(OFFSETS.isRepeat0 + this.#state) === 0) {
      if (this.#bit(OFFSETS.isRepeat0Long + stateAndPosition) === 0) {
        this.#state = wasLiteral ? 9 : 11;
        return 1;
      }
    } else {
      this.#reuseEarlierDistance();
    }
    this.#state = wasLiteral ? 8 : 11;
    return this.#lengthAt(OFFSETS.repeatLength, positionState) + MATCH_MIN;
  }

  #reuseEarlierDistance(): void {
    let distance = this.#last1;
    if (this.#bit(OFFSETS.isRepeat1 + this.#state) === 1) {
      distance = this.#last2;
      if (this.#bit(OFFSETS.isRepeat2 + this.#state) === 1) {
        distance = this.#last3;
        this.#last3 = this.#last2;
      }
      this.#last2 = this.#last1;
    }
    this.#last1 = this.#last0;
    this.#last0 = distance;
  }

  #lengthAt(base: number, positionState: number): number {
    if (this.#bit(base) === 0) return this.#tree(base + 2 + positionState * 8, 3);
    if (this.#bit(base + 1) === 0) return 8 + this.#tree(base + 2 + (16 + positionState) * 8, 3);
    return 16 + this.#tree(base + 2 + 32 * 8, 8);
  }

  #distance(length: number): number {
    const state = Math.min(length, LENGTH_STATES - 1);
    const slot = this.#tree(OFFSETS.slots + state * DISTANCE_SLOTS, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const high = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return high + this.#reverseTree(OFFSETS.special + high - slot, bits);
    const middle = this.#directBits(bits - ALIGN_BITS) * 2 ** ALIGN_BITS;
    return high + middle + this.#reverseTree(OFFSETS.align, ALIGN_BITS);
  }

  #tree(base: number, bits: number): number {
    let symbol = 1;
    for (let count = 0; count < bits; count += 1) symbol = (symbol << 1) | this.#bit(base + symbol);
    return symbol - (1 << bits);
  }

  #reverseTree(base: number, bits: number): number {
    let symbol = 1;
    let value = 0;
    for (let count = 0; count < bits; count += 1) {
      const bit = this.#bit(base + symbol);
      symbol = (symbol << 1) | bit;
      value |= bit << count;
    }
    return value;
  }

  #bit(index: number): number {
    const probabilities = this.#probabilities;
    const coder = this.#coder;
    const probability = probabilities[index] as number;
    let range = coder[RANGE] as number;
    const code = coder[CODE] as number;
    const bound = Math.imul(range >>> 11, probability) >>> 0;
    let bit = 0;
    if (code < bound) {
      range = bound;
      probabilities[index] = probability + ((2048 - probability) >> 5);
    } else {
      range -= bound;
      coder[CODE] = code - bound;
      probabilities[index] = probability - (probability >> 5);
      bit = 1;
    }
    coder[RANGE] = range;
    if (range < 0x100_0000) this.#shift();
    return bit;
  }

  #directBits(count: number): number {
    const coder = this.#coder;
    let value = 0;
    for (let remaining = count; remaining > 0; remaining -= 1) {
      const range = (coder[RANGE] as number) >>> 1;
      const code = coder[CODE] as number;
      coder[RANGE] = range;
      const bit = code >= range ? 1 : 0;
      if (bit === 1) coder[CODE] = code - range;
      value = value * 2 + bit;
      if (range < 0x100_0000) this.#shift();
    }
    return value;
  }

  #shift(): void {
    const coder = this.#coder;
    coder[RANGE] = (coder[RANGE] as number) << 8;
    coder[CODE] = ((coder[CODE] as number) << 8) | (this.#input[this.#next] ?? 0);
    this.#next += 1;
  }
}
