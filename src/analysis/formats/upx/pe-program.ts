import { Reader } from '../../reader.ts';
import { DIRECTORY, directoriesAt, type PeHeaders, readHeaders } from '../pe/headers.ts';
import { PeImage, type PeSection, SECTION_HEADER_BYTES } from '../pe/image.ts';
import { overlayOf } from '../pe/layout.ts';
import { readResources } from '../pe/resources.ts';
import { type ImportedNames, importSection } from './pe-imports.ts';

/** Addresses have 32 bits; an import section is far smaller than the space above this. */
const MAX_ADDRESS = 0xe000_0000;
const MAX_RESTORED = 512;
const SECTOR_BYTES = 0x200;

/** The program in an unpacked image, see `pe.ts`. */
export interface ProgramLayout {
  /** The address of the image. */
  readonly start: number;
  /** The program's own headers, from the image. */
  readonly headers: PeHeaders;
  readonly headerBytes: Buffer;
  readonly sections: readonly PeSection[];
  /** The data that UPX stores for restoring the program, after the headers. */
  readonly extras: Reader;
}

interface ProgramParts {
  readonly packed: PeImage;
  readonly imports: readonly ImportedNames[];
  readonly maxBytes: number;
}

/**
 * Writes the file: headers, sections at their original offsets, imports after them, then the
 * overlay of the packed file.
 */
export function writeProgram(
  image: Buffer,
  layout: ProgramLayout,
  { packed, imports, maxBytes }: ProgramParts,
) {
  const end = aligned(
    Math.max(0x400, ...layout.sections.map((one) => one.rawOffset + one.rawSize)),
  );
  const overlay = overlayOf(packed);
  const appended = overlay ? packed.reader.upTo(overlay.offset, overlay.size) : Buffer.alloc(0);
  const address = pageAligned(Math.max(...layout.sections.map(endInMemory)));
  // Above this address there is no space for another section.
  const writtenImports = address < MAX_ADDRESS ? imports : [];
  const added = importSection(writtenImports, { address, is64: layout.headers.is64 });
  const size = end + aligned(added.length) + appended.length;
  if (size > maxBytes) return undefined;
  const program = Buffer.alloc(size);
  for (const { rawOffset, rawSize, virtualAddress } of layout.sections) {
    const content = new Reader(image).upTo(virtualAddress - layout.start, rawSize);
    content.copy(program, rawOffset);
  }
  const headersEnd = writeHeaders(program, layout, packed);
  const section = { address, offset: end, size: added.length };
  if (headersEnd !== undefined && added.length > 0) {
    added.copy(program, end);
    addImportSection(program, headersEnd, section);
  }
  appended.copy(program, end + aligned(added.length));
  return program;
}

function endInMemory({ virtualAddress, virtualSize, rawSize }: PeSection): number {
  return virtualAddress + Math.max(virtualSize, rawSize);
}

/** Returns the end of the section headers. */
function writeHeaders(program: Buffer, layout: ProgramLayout, packed: PeImage): number | undefined {
  const firstByte = Math.min(
    ...layout.sections.filter(({ rawSize }) => rawSize > 0).map(({ rawOffset }) => rawOffset),
  );
  const maxOffset = Math.min(firstByte, program.length) - layout.headerBytes.length;
  const nt = packed.headers.ntOffset <= maxOffset ? packed.headers.ntOffset : 0x40;
  packed.reader.upTo(0, nt).copy(program);
  program.writeUInt32LE(nt, 0x3c);
  layout.headerBytes.copy(program, nt);
  const end = nt + layout.headerBytes.length;
  return end + SECTION_HEADER_BYTES <= firstByte ? end : undefined;
}

const NAME = '.imports';
const DATA_READ = 0x4000_0040;

interface SectionLocation {
  readonly address: number;
  readonly offset: number;
  readonly size: number;
}

function addImportSection(
  program: Buffer,
  end: number,
  { address, offset, size }: SectionLocation,
): void {
  const headers = readHeaders(program);
  if (headers === undefined || end + SECTION_HEADER_BYTES > program.length) return;
  program.write(NAME, end, 'latin1');
  for (const [index, value] of [size, address, aligned(size), offset].entries()) {
    program.writeUInt32LE(value, end + 8 + index * 4);
  }
  program.writeUInt32LE(DATA_READ, end + 36);
  program.writeUInt16LE((headers.declaredSections + 1) & 0xffff, headers.ntOffset + 6);
  program.writeUInt32LE(pageAligned(address + size), headers.optionalOffset + 56);
  const entry = headers.optionalOffset + directoriesAt(headers.is64) + DIRECTORY.import * 8;
  program.writeUInt32LE(address, entry);
  program.writeUInt32LE(size, entry + 4);
}

/** UPX leaves icons, versions and manifests unpacked; their original ranges are zeros. */
export function restoreResources(program: Buffer, packed: PeImage): void {
  const headers = readHeaders(program);
  if (headers === undefined) return;
  const unpacked = new Map(readResources(packed).map((one) => [keyOf(one), one]));
  // Crafted resources may all share the same bytes.
  let remaining = program.length;
  for (const resource of readResources(new PeImage(program, headers)).slice(0, MAX_RESTORED)) {
    remaining -= resource.size;
    if (remaining < 0) return;
    const source = unpacked.get(keyOf(resource));
    const target = program.subarray(resource.offset, resource.offset + resource.size);
    if (source?.size !== resource.size || target.some((byte) => byte !== 0)) continue;
    packed.reader.upTo(source.offset, source.size).copy(target);
  }
}

function keyOf({ type, name, language }: { type: string; name: string; language: number }): string {
  return JSON.stringify([type, name, language]);
}

function aligned(size: number): number {
  return Math.ceil(size / SECTOR_BYTES) * SECTOR_BYTES;
}

function pageAligned(size: number): number {
  return Math.ceil(size / 0x1000) * 0x1000;
}
