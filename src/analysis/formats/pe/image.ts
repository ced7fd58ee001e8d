import { entropyOf } from '../../hashing/entropy.ts';
import { Reader } from '../../reader.ts';
import type { PeDirectory, PeHeaders } from './headers.ts';

export interface PeSection {
  readonly name: string;
  readonly virtualAddress: number;
  readonly virtualSize: number;
  readonly rawOffset: number;
  readonly rawSize: number;
  readonly characteristics: number;
  /** Bits per byte of the content; absent without content, or if too many sections overlap. */
  readonly entropy?: number | undefined;
}

export const SECTION_INITIALIZED_DATA = 0x40;
export const SECTION_EXECUTE = 0x2000_0000;
export const SECTION_WRITE = 0x8000_0000;
export const SECTION_READ = 0x4000_0000;

/**
 * Old loaders refuse more than 96. More are read, as in other tools, so that the import hash is
 * equal.
 */
const MAX_SECTIONS = 2048;
export const SECTION_HEADER_BYTES = 40;
/** The loader reads sections from whole sectors, regardless of the header. */
const SECTOR_BYTES = 0x200;
const PAGE_BYTES = 0x1000;
/**
 * Overlapping sections may repeat the same bytes: this limits the total to a multiple of the file
 * size.
 */
const ENTROPY_PASSES = 2;

interface Span {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  readonly rawEnd: number;
}

/**
 * The file as the loader maps it: translates addresses to offsets, `undefined` if unmapped. The
 * parsers that read through it add their notes on damage and limits here.
 */
export class PeImage {
  readonly reader: Reader;
  readonly headers: PeHeaders;
  readonly sections: readonly PeSection[];
  readonly malformed = new Set<string>();
  readonly truncated = new Set<string>();
  readonly #spans: readonly Span[];

  constructor(bytes: Buffer, headers: PeHeaders) {
    this.reader = new Reader(bytes);
    this.headers = headers;
    if (headers.declaredSections > MAX_SECTIONS) this.truncated.add('sections');
    this.sections = withEntropy(readSections(this.reader, headers), bytes);
    this.#spans = spansOf(this.sections, headers, bytes.length);
  }

  /** Absent if the directory is empty or missing. */
  directory(index: number): PeDirectory | undefined {
    const directory = this.headers.directories[index];
    return directory === undefined || directory.rva === 0 ? undefined : directory;
  }

  /** An address outside of all sections is an offset in the headers, which are mapped unchanged. */
  rvaToOffset(rva: number): number | undefined {
    const span = this.#spanAt(rva);
    const offset = span === undefined ? rva : rva - span.start + span.offset;
    return offset >= 0 && offset < this.reader.length ? offset : undefined;
  }

  /** At most `count` bytes; `undefined` for an unmapped address. */
  bytesAt(rva: number, count: number): Buffer | undefined {
    const span = this.#spanAt(rva);
    if (span === undefined)
      return rva < this.reader.length ? this.reader.upTo(rva, count) : undefined;
    const offset = rva - span.start + span.offset;
    return this.reader.upTo(offset, Math.min(count, span.rawEnd - offset));
  }

  /** The text up to the next zero byte. */
  textAt(rva: number, maxBytes: number): string | undefined {
    const window = this.bytesAt(rva, maxBytes);
    if (window === undefined) return undefined;
    const end = window.indexOf(0);
    return window.toString('latin1', 0, end === -1 ? window.length : end);
  }

  u32At(rva: number): number | undefined {
    const bytes = this.bytesAt(rva, 4);
    return bytes?.length === 4 ? bytes.readUInt32LE(0) : undefined;
  }

  #spanAt(rva: number): Span | undefined {
    // A plain loop: crafted files have thousands of sections and as many lookups.
    for (const span of this.#spans) if (rva >= span.start && rva < span.end) return span;
    return undefined;
  }
}

function readSections(reader: Reader, headers: PeHeaders): PeSection[] {
  const sections: PeSection[] = [];
  const count = Math.min(headers.declaredSections, MAX_SECTIONS);
  for (let index = 0; index < count; index++) {
    const at = headers.sectionTableOffset + index * SECTION_HEADER_BYTES;
    const header = reader.slice(at, SECTION_HEADER_BYTES);
    // A header of zeros ends the table early.
    if (header === undefined || header.every((byte) => byte === 0)) break;
    sections.push({
      name: new Reader(header).text(0, 8) ?? '',
      virtualSize: header.readUInt32LE(8),
      virtualAddress: header.readUInt32LE(12),
      rawSize: header.readUInt32LE(16),
      rawOffset: header.readUInt32LE(20),
      characteristics: header.readUInt32LE(36),
    });
  }
  return sections;
}

function withEntropy(sections: readonly PeSection[], bytes: Buffer): PeSection[] {
  const reader = new Reader(bytes);
  let remaining = bytes.length * ENTROPY_PASSES;
  return sections.map((section) => {
    const content = reader.upTo(section.rawOffset, section.rawSize);
    if (content.length === 0 || content.length > remaining) return section;
    remaining -= content.length;
    return { ...section, entropy: entropyOf(content) };
  });
}

/** The address range of each section, lowest first; a range ends where the next one begins. */
function spansOf(sections: readonly PeSection[], headers: PeHeaders, fileBytes: number): Span[] {
  const sorted = sections.toSorted((a, b) => a.virtualAddress - b.virtualAddress);
  return sorted.map((section, index) => {
    const offset = loadedFrom(section, headers);
    const start = alignedAddress(section.virtualAddress, headers);
    // An impossible raw size does not define the extent of the section.
    const isRawSizeTrue = section.rawSize <= fileBytes - offset;
    const size = isRawSizeTrue
      ? Math.max(section.rawSize, section.virtualSize)
      : section.virtualSize;
    const next = sorted[index + 1]?.virtualAddress ?? Number.POSITIVE_INFINITY;
    const end = next > section.virtualAddress ? Math.min(start + size, next) : start + size;
    return { start, end, offset, rawEnd: section.rawOffset + section.rawSize };
  });
}

/** Images with small alignment (old drivers, firmware) are mapped as in the file. */
function loadedFrom({ rawOffset, virtualAddress }: PeSection, headers: PeHeaders): number {
  if (headers.sectionAlignment < PAGE_BYTES && rawOffset === virtualAddress) return rawOffset;
  return rawOffset - (rawOffset % SECTOR_BYTES);
}

function alignedAddress(address: number, headers: PeHeaders): number {
  const { sectionAlignment, fileAlignment } = headers;
  const alignment = sectionAlignment < PAGE_BYTES ? fileAlignment : sectionAlignment;
  return alignment === 0 ? address : address - (address % alignment);
}
