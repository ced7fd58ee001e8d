import { Reader } from '../reader.ts';
import { isLzmaProperties, LzmaDecoder } from './lzma.ts';

/**
 * An xz file with one LZMA2 block, as Python's `lzma.compress` writes it.
 *
 *   0    fd "7zXZ" 00, u16 flags, u32 checksum
 *   12   block header: u8 size in words less one, u8 flags (2 bits: number of filters less one;
 *        40: packed size follows, 80: unpacked size follows, as integers of 7 bits a byte),
 *        filter 21, 01, u8 dictionary size; padding, u32 checksum
 *   …    chunks: u8 control
 *          00       end
 *          01, 02   u16 size less one, uncompressed bytes; 01 resets the dictionary
 *          80…      low five bits and u16: unpacked size less one; u16 packed size less one;
 *                   bits 5 and 6: 1 resets the state, 2 also the properties (u8 follows),
 *                   3 also the dictionary
 *
 * Reference: "The .xz File Format", https://tukaani.org/xz/xz-file-format.txt.
 */
export const XZ_MAGIC = Buffer.from('fd377a585a00', 'hex');

const FIRST_BLOCK = 12;
const LZMA2_FILTER = 0x21;
/** The limit of LZMA2 for lc + lp, which keeps the tables that a chunk resets small. */
const MAX_LITERAL_BITS = 4;
/** How often the time limit is checked. */
const CHUNKS_BETWEEN_TIME_CHECKS = 256;

interface XzLimits {
  readonly maxBytes: number;
  readonly isOver: () => boolean;
}

/** The unpacked bytes, if they are complete and at most `maxBytes`. */
export function unpackXz(packed: Buffer, limits: XzLimits): Buffer | undefined {
  const reader = new Reader(packed);
  if (!reader.upTo(0, 6).equals(XZ_MAGIC)) return undefined;
  const headerSize = ((reader.u8(FIRST_BLOCK) ?? 0) + 1) * 4;
  const flags = reader.u8(FIRST_BLOCK + 1) ?? 0;
  let at = FIRST_BLOCK + 2;
  for (const isPresent of [(flags & 0x40) !== 0, (flags & 0x80) !== 0]) {
    if (isPresent) at = endOfNumber(packed, at);
  }
  const isPlain = (flags & 0x3f) === 0 && reader.u8(at) === LZMA2_FILTER;
  return isPlain ? unpackLzma2(packed.subarray(FIRST_BLOCK + headerSize), limits) : undefined;
}

function endOfNumber(packed: Buffer, start: number): number {
  let at = start;
  while (at < start + 9 && ((packed[at] ?? 0) & 0x80) !== 0) at += 1;
  return at + 1;
}

interface Chunk {
  readonly control: number;
  readonly size: number;
  readonly bytes: Buffer;
  readonly properties: number | undefined;
  readonly end: number;
}

/** A chunk may have only four bytes, so there may be millions: none of them is stored. */
function unpackLzma2(packed: Buffer, { maxBytes, isOver }: XzLimits): Buffer | undefined {
  const reader = new Reader(packed);
  // The chunks state their sizes, which are added up before the output is allocated.
  let size = 0;
  const isCounted = everyChunk(reader, (chunk) => {
    size += chunk.size;
    return size <= maxBytes;
  });
  if (!isCounted || isOver()) return undefined;
  const output = Buffer.alloc(size);
  const decoder = new LzmaDecoder(output, isOver);
  let chunks = 0;
  const isWhole = everyChunk(reader, (chunk) => {
    chunks += 1;
    const isLate = chunks % CHUNKS_BETWEEN_TIME_CHECKS === 0 && isOver();
    return !isLate && unpackChunk(decoder, chunk);
  });
  return isWhole ? output : undefined;
}

/** Visits the chunks up to the end marker; `false` if one is damaged or rejected. */
function everyChunk(reader: Reader, take: (chunk: Chunk) => boolean): boolean {
  for (let at = 0; reader.u8(at) !== 0; ) {
    const chunk = readChunk(reader, at);
    if (chunk === undefined || !take(chunk)) return false;
    at = chunk.end;
  }
  return true;
}

function readChunk(reader: Reader, at: number): Chunk | undefined {
  const control = reader.u8(at);
  const low = reader.u16(at + 1, true);
  if (control === undefined || low === undefined) return undefined;
  if (control < 0x80) {
    const bytes = control <= 2 ? reader.slice(at + 3, low + 1) : undefined;
    return (
      bytes && { control, size: bytes.length, bytes, properties: undefined, end: at + 4 + low }
    );
  }
  const hasProperties = ((control >> 5) & 3) >= 2;
  const start = at + (hasProperties ? 6 : 5);
  const bytes = reader.slice(start, (reader.u16(at + 3, true) ?? 0) + 1);
  const properties = hasProperties ? reader.u8(at + 5) : undefined;
  const size = ((control & 0x1f) << 16) + low + 1;
  return bytes && { control, size, bytes, properties, end: start + bytes.length };
}

function unpackChunk(decoder: LzmaDecoder, { control, size, bytes, properties }: Chunk): boolean {
  const resets = control < 0x80 ? 0 : (control >> 5) & 3;
  if (control === 1 || resets === 3) decoder.resetDictionary();
  if (control < 0x80) return decoder.copy(bytes);
  if (properties !== undefined) {
    const [lc, rest] = [properties % 9, Math.floor(properties / 9)];
    const next = { lc, lp: rest % 5, pb: Math.floor(rest / 5) };
    if (!isLzmaProperties(next) || next.lc + next.lp > MAX_LITERAL_BITS) return false;
    decoder.reset(next);
  } else if (resets === 1) {
    decoder.reset();
  }
  return decoder.decode(bytes, size);
}
