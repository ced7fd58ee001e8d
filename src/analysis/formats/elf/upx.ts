import type { ElfHeader, ElfReader } from './layout.ts';

/**
 * Traces of UPX in an ELF file. After the program headers:
 *
 * | offset | content |
 * |---|---|
 * | 0 | u32 checksum, `UPX!`, u16 size of the loader, u8 version, u8 format |
 * | 12 | u32 0, u32 size of the unpacked file, u32 size of a block |
 * | 24 | first block: u32 unpacked size, u32 packed size, u8 method (2 to 15), u8 filter |
 *
 * and `UPX!` again near the end. Bots for embedded devices overwrite the marks so that `upx -d`
 * refuses them; the sizes must stay, because the program unpacks itself with them. Reference: the
 * public description in UPX's documentation of its file format.
 */
export interface UpxTrace {
  readonly offset: number;
  readonly isDamaged: boolean;
}

const MARK = Buffer.from('UPX!');
const TAIL = 64;
/** UPX does not pack larger programs. */
const MAX_UNPACKED = 1024 * 1024 * 1024;

export function readUpx(
  reader: ElfReader,
  header: ElfHeader,
  hasNoSections: boolean,
): UpxTrace | undefined {
  const { offset, entrySize, count } = header.segments;
  const start = offset + entrySize * count;
  const isMarked = reader.upTo(start + 4, 4).equals(MARK);
  const tail = Math.max(0, reader.length - TAIL);
  const mark = reader.bytes.subarray(tail).indexOf(MARK);
  if (isMarked && mark >= 0) return { offset: start, isDamaged: false };
  // UPX writes no section headers; with section headers a match is accidental.
  if (!hasNoSections) return undefined;
  if (!hasPackedSizes(reader, start))
    return mark >= 0 ? { offset: tail + mark, isDamaged: true } : undefined;
  return { offset: start, isDamaged: true };
}

function hasPackedSizes(reader: ElfReader, start: number): boolean {
  const word = (at: number) => reader.word(start + at) ?? 0;
  const [unpacked, block, first, packed] = [word(16), word(20), word(24), word(28)];
  const method = reader.u8(start + 32) ?? 0;
  return (
    unpacked > 0 &&
    unpacked <= MAX_UNPACKED &&
    block > 0 &&
    block <= unpacked &&
    first > 0 &&
    first <= block &&
    packed > 0 &&
    packed <= first &&
    packed < reader.length &&
    method >= 2 &&
    method <= 15
  );
}
