import { createHash } from 'node:crypto';
import type { PeImage } from './image.ts';

/**
 * Microsoft's linkers write a list of build tools between the DOS stub and the NT headers.
 *
 *   "DanS" ^ key | key | key | key | { build u16, product u16 } ^ key, count u32 ^ key | ...
 *   | "Rich" | key
 *
 * The key is a checksum of the DOS header and of the list, which exposes copied or edited lists.
 * Reference: Webster et al., "Finding the Needle: A Study of the PE32 Rich Header" (2017).
 */
export interface RichHeader {
  readonly entries: readonly RichEntry[];
  readonly isChecksumRight: boolean;
  /** MD5 of the decoded header, which is equal for builds of the same environment. */
  readonly hash: string;
  readonly offset: number;
}

export interface RichEntry {
  readonly product: number;
  readonly build: number;
  readonly count: number;
}

/** All linkers that write the header put it at this offset. */
const START = 0x80;
const MAX_BYTES = 0x1000;
const DANS = 0x536e_6144;
const HEAD_BYTES = 16;
const LFANEW = 0x3c;

export function readRich(image: PeImage): RichHeader | undefined {
  const { reader, headers } = image;
  const window = reader.upTo(START, Math.min(headers.optionalOffset - START, MAX_BYTES));
  const end = window.indexOf('Rich');
  if (end < HEAD_BYTES || end % 4 !== 0) return undefined;
  const key = reader.slice(START + end + 4, 4);
  if (key === undefined) return undefined;
  const clear = Buffer.from(window.subarray(0, end));
  for (let at = 0; at < clear.length; at++) clear[at] = (clear[at] ?? 0) ^ (key[at % 4] ?? 0);
  if (clear.readUInt32LE(0) !== DANS) return undefined;
  const entries = readEntries(clear);
  return {
    entries,
    isChecksumRight: checksum(reader.upTo(0, START), entries) === key.readUInt32LE(0),
    hash: createHash('md5').update(clear).digest('hex'),
    offset: START,
  };
}

function readEntries(clear: Buffer): RichEntry[] {
  const entries: RichEntry[] = [];
  for (let at = HEAD_BYTES; at + 8 <= clear.length; at += 8) {
    entries.push({
      build: clear.readUInt16LE(at),
      product: clear.readUInt16LE(at + 2),
      count: clear.readUInt32LE(at + 4),
    });
  }
  return entries;
}

/**
 * Sums the bytes of the header, rotated left by their offset, and the entries, rotated by their
 * count. `e_lfanew` counts as zero.
 */
function checksum(stub: Buffer, entries: readonly RichEntry[]): number {
  let sum = START;
  for (const [at, byte] of stub.entries()) {
    if (at < LFANEW || at >= LFANEW + 4) sum = (sum + turnedLeft(byte, at)) >>> 0;
  }
  for (const { product, build, count } of entries) {
    sum = (sum + turnedLeft(((product << 16) | build) >>> 0, count)) >>> 0;
  }
  return sum;
}

function turnedLeft(value: number, by: number): number {
  const bits = by & 31;
  return bits === 0 ? value : ((value << bits) | (value >>> (32 - bits))) >>> 0;
}
