import { Reader } from '../reader.ts';
import { isLzmaProperties, LzmaDecoder } from './lzma.ts';

/**
 * One block of LZMA2 in an xz file, as Python's `lzma.compress` writes it.
 *
 *   0    fd "7zXZ" 00, u16 flags, u32 checksum
 *   12   block header: u8 its size in words less one, u8 flags (two bits: filters less one; 40 packed size, 80 unpacked
 *        size follow as numbers of 7 bits a byte), filter 21, 01, u8 dictionary; filled up, u32 checksum
 *   …    pieces: u8 control
 *          00       the end
 *          01, 02   u16 size less one, bytes as they are; 01 empties the dictionary
 *          80…      low five bits and u16: unpacked size less one; u16 packed size less one; bits 5 and 6: what begins
 *                   anew (1 what was learned, 2 with a byte of properties, 3 the dictionary, too)
 *
 * Reference: "The .xz File Format", https://tukaani.org/xz/xz-file-format.txt.
 */
export const XZ_MAGIC = Buffer.from('fd377a585a00', 'hex');

const FIRST_BLOCK = 12;
const LZMA2_FILTER = 0x21;
/** LZMA2 allows no more for both together: what is learned anew with each piece stays small. */
const MOST_LITERAL_BITS = 4;
/** How often the clock is looked at. */
const PIECES_BETWEEN_LOOKS = 256;

interface XzRoom {
  readonly most: number;
  readonly isOver: () => boolean;
}

/** What comes out, if it is whole and no longer than `most` bytes. */
export function unpackXz(packed: Buffer, room: XzRoom): Buffer | undefined {
  const reader = new Reader(packed);
  if (!reader.upTo(0, 6).equals(XZ_MAGIC)) return undefined;
  const headerSize = ((reader.u8(FIRST_BLOCK) ?? 0) + 1) * 4;
  const flags = reader.u8(FIRST_BLOCK + 1) ?? 0;
  let at = FIRST_BLOCK + 2;
  for (const isThere of [(flags & 0x40) !== 0, (flags & 0x80) !== 0]) {
    if (isThere) at = endOfNumber(packed, at);
  }
  const isPlain = (flags & 0x3f) === 0 && reader.u8(at) === LZMA2_FILTER;
  return isPlain ? unpackLzma2(packed.subarray(FIRST_BLOCK + headerSize), room) : undefined;
}

function endOfNumber(packed: Buffer, start: number): number {
  let at = start;
  while (at < start + 9 && ((packed[at] ?? 0) & 0x80) !== 0) at += 1;
  return at + 1;
}

interface Piece {
  readonly control: number;
  readonly size: number;
  readonly bytes: Buffer;
  readonly properties: number | undefined;
  readonly end: number;
}

/** Pieces may have four bytes, so that there are millions: none of them is kept. */
function unpackLzma2(packed: Buffer, { most, isOver }: XzRoom): Buffer | undefined {
  const reader = new Reader(packed);
  // Sizes are told by the pieces themselves: they are added up before anything is unpacked.
  let size = 0;
  const isCounted = everyPiece(reader, (piece) => {
    size += piece.size;
    return size <= most;
  });
  if (!isCounted || isOver()) return undefined;
  const output = Buffer.alloc(size);
  const decoder = new LzmaDecoder(output, isOver);
  let pieces = 0;
  const isWhole = everyPiece(reader, (piece) => {
    pieces += 1;
    const isLate = pieces % PIECES_BETWEEN_LOOKS === 0 && isOver();
    return !isLate && unpackPiece(decoder, piece);
  });
  return isWhole ? output : undefined;
}

/** Up to the mark of the end, as long as each is whole and is taken. */
function everyPiece(reader: Reader, take: (piece: Piece) => boolean): boolean {
  for (let at = 0; reader.u8(at) !== 0; ) {
    const piece = readPiece(reader, at);
    if (piece === undefined || !take(piece)) return false;
    at = piece.end;
  }
  return true;
}

function readPiece(reader: Reader, at: number): Piece | undefined {
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

function unpackPiece(decoder: LzmaDecoder, { control, size, bytes, properties }: Piece): boolean {
  const renewed = control < 0x80 ? 0 : (control >> 5) & 3;
  if (control === 1 || renewed === 3) decoder.resetDictionary();
  if (control < 0x80) return decoder.copy(bytes);
  if (properties !== undefined) {
    const [lc, rest] = [properties % 9, Math.floor(properties / 9)];
    const next = { lc, lp: rest % 5, pb: Math.floor(rest / 5) };
    if (!isLzmaProperties(next) || next.lc + next.lp > MOST_LITERAL_BITS) return false;
    decoder.reset(next);
  } else if (renewed === 1) {
    decoder.reset();
  }
  return decoder.decode(bytes, size);
}
