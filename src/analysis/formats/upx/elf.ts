import {
  type ElfHeader,
  ElfReader,
  type ElfSegment,
  readHeader,
  readSegments,
} from '../elf/layout.ts';
import { undoFilter } from './filter.ts';
import { isMethod, unpackBlock } from './method.ts';
import type { Outcome, UnpackLimits } from './outcome.ts';

/**
 * A Linux program packed with UPX, in the byte order of the machine:
 *
 *   +0    after the program headers: u32 checksum, "UPX!", u16 size of the loader, u8 version,
 *         u8 format
 *   +12   u32 0, u32 size of the program, u32 size of a block
 *   +24   blocks: u32 unpacked size, u32 packed size (equal if not packed), u8 method, u8 filter,
 *         u8 mark of the filter, u8 0, then the packed bytes
 *         first   the headers of the program, with its program headers
 *         then    the loaded content, segment by segment, without those headers
 *   …     the loader, then more blocks: the content between and after the segments, such as
 *         section headers
 *   end   "UPX!" and a summary
 *
 * Bots for embedded devices overwrite the marks and the sizes at +12 so that UPX refuses to unpack
 * them. None of these is needed here: the first block must contain the headers of a program, which
 * state the sizes of the others. Reference: the description of the format in UPX's documentation,
 * https://upx.github.io/, and packed programs.
 */
const FIRST_BLOCK = 24;
const BLOCK_HEADER_BYTES = 12;
const MAX_HEADERS_BYTES = 64 * 1024;
/** Candidates for the block after the loader; each may cost as much as the whole program. */
const MAX_CANDIDATES = 16;
const LOADED = 1;
const NOTHING: readonly Extent[] = [];

/** A range of the unpacked program. */
interface Extent {
  readonly start: number;
  readonly end: number;
}

interface Block {
  readonly size: number;
  readonly method: number;
  readonly filter: { readonly id: number; readonly mark: number };
  readonly packed: Buffer;
  readonly end: number;
}

/** Quick test: whether blocks may follow the program headers. */
export function mayBePackedElf(bytes: Buffer): boolean {
  const header = readHeader(bytes);
  if (header === undefined) return false;
  const block = readBlock(new ElfReader(bytes, header), blocksAt(header));
  return block !== undefined && block.size <= MAX_HEADERS_BYTES;
}

export function unpackElf(bytes: Buffer, limits: UnpackLimits): Outcome {
  const header = readHeader(bytes);
  if (header === undefined) return 'unreadable';
  const reader = new ElfReader(bytes, header);
  const offset = blocksAt(header);
  const first = readBlock(reader, offset);
  const headers = first && first.size <= MAX_HEADERS_BYTES && unpacked(first, limits);
  const inner = headers ? readHeader(headers) : undefined;
  if (first === undefined || !headers || inner === undefined) return 'unreadable';
  const layout = layoutOf(reader, { headers, inner, stated: reader.word(offset - 8) ?? 0 });
  if (layout === undefined) return 'unreadable';
  if (layout.size > limits.bytes) return 'too-large';
  const program = Buffer.alloc(layout.size);
  headers.copy(program);
  const source = new BlockSource(reader, first.end, limits);
  if (!layout.loaded.every((extent) => source.fill(program, extent))) return 'unreadable';
  const isWhole = source.fillGaps(program, layout.gaps);
  if (!isWhole) removeSectionHeaders(program, inner);
  const notes = isWhole ? [] : ['what lies between the segments was not found'];
  return { bytes: program, offset, notes: [...notes, ...source.notes] };
}

function blocksAt({ segments }: ElfHeader): number {
  return segments.offset + segments.entrySize * segments.count + FIRST_BLOCK;
}

function readBlock(reader: ElfReader, at: number): Block | undefined {
  const [size = 0, packedSize = 0] = [reader.word(at), reader.word(at + 4)];
  const [method = 0, id = 0, mark = 0] = reader.upTo(at + 8, 3);
  if (size === 0 || packedSize === 0 || packedSize > size) return undefined;
  if (packedSize < size && !isMethod(method)) return undefined;
  const packed = reader.slice(at + BLOCK_HEADER_BYTES, packedSize);
  const end = at + BLOCK_HEADER_BYTES + packedSize;
  return packed && { size, method, filter: { id, mark }, packed, end };
}

function unpacked({ packed, size, method }: Block, { isOver }: UnpackLimits): Buffer | undefined {
  return packed.length === size ? packed : unpackBlock(packed, method, { size, isOver });
}

interface ProgramLayout {
  readonly size: number;
  readonly loaded: readonly Extent[];
  readonly gaps: readonly Extent[];
}

interface PlanInput {
  readonly headers: Buffer;
  readonly inner: ElfHeader;
  /** The stated size of the program, which may be forged. */
  readonly stated: number;
}

/**
 * The ranges of the program according to its own headers; `undefined` if those are not plausible.
 */
function layoutOf(
  outer: ElfReader,
  { headers, inner, stated }: PlanInput,
): ProgramLayout | undefined {
  if (inner.bits !== outer.bits || inner.bigEndian !== outer.bigEndian) return undefined;
  const { list } = readSegments(new ElfReader(headers, inner), inner);
  const loaded = list.filter(isLoaded).map(({ offset, fileSize }) => ({
    // The headers have a block of their own.
    start: Math.max(offset, headers.length),
    end: offset + fileSize,
  }));
  const extents = loaded.filter(({ start, end }) => start < end);
  if (extents.length === 0 || !areInOrder(extents)) return undefined;
  const end = Math.max(...extents.map((extent) => extent.end));
  const { offset, entrySize, count } = inner.sections;
  const size = stated >= end ? stated : Math.max(end, offset + entrySize * count);
  return {
    size,
    loaded: extents,
    gaps: gapsOf([{ start: 0, end: headers.length }, ...extents], size),
  };
}

function isLoaded({ type, fileSize }: ElfSegment): boolean {
  return type === LOADED && fileSize > 0;
}

function areInOrder(extents: readonly Extent[]): boolean {
  return extents.every(({ start }, index) => start >= (extents[index - 1]?.end ?? 0));
}

function gapsOf(extents: readonly Extent[], size: number): readonly Extent[] {
  const gaps = extents.map(({ end }, index) => ({
    start: end,
    end: extents[index + 1]?.start ?? size,
  }));
  const real = gaps.filter(({ start, end }) => start < end);
  return real.length === 0 ? NOTHING : real;
}

/** Reads consecutive blocks. */
class BlockSource {
  readonly #reader: ElfReader;
  readonly #limits: UnpackLimits;
  readonly #unknownFilters = new Set<number>();
  #at: number;

  constructor(reader: ElfReader, at: number, limits: UnpackLimits) {
    this.#reader = reader;
    this.#at = at;
    this.#limits = limits;
  }

  get notes(): readonly string[] {
    return [...this.#unknownFilters].map((id) => `filter 0x${id.toString(16)} was not undone`);
  }

  /** Fills a range of the program with as many blocks as it needs. */
  fill(program: Buffer, { start, end }: Extent): boolean {
    for (let offset = start; offset < end; ) {
      const block = readBlock(this.#reader, this.#at);
      const content =
        block && block.size <= end - offset ? unpacked(block, this.#limits) : undefined;
      if (block === undefined || content === undefined) return false;
      content.copy(program, offset);
      const isUndone = undoFilter(program.subarray(offset, offset + block.size), block.filter);
      if (!isUndone) this.#unknownFilters.add(block.filter.id);
      offset += block.size;
      this.#at = block.end;
    }
    return true;
  }

  /**
   * The remaining blocks follow the loader, whose length is unknown: the first is found by its
   * size.
   */
  fillGaps(program: Buffer, gaps: readonly Extent[]): boolean {
    const [first] = gaps;
    if (first === undefined) return true;
    const from = this.#at + 3;
    let tries = 0;
    for (let at = from - (from % 4); at < this.#reader.length && tries < MAX_CANDIDATES; at += 4) {
      if (this.#reader.word(at) !== first.end - first.start) continue;
      if (this.#limits.isOver()) return false;
      tries += 1;
      this.#at = at;
      if (gaps.every((gap) => this.fill(program, gap))) return true;
    }
    return false;
  }
}

/** Removes the section headers: without them the program has no sections, instead of wrong ones. */
function removeSectionHeaders(program: Buffer, { bits }: ElfHeader): void {
  program.fill(0, bits === 64 ? 40 : 32, bits === 64 ? 48 : 36);
  program.fill(0, bits === 64 ? 60 : 48, bits === 64 ? 64 : 52);
}
