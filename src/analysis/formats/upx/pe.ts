import { Reader } from '../../reader.ts';
import { DIRECTORY, type PeHeaders, readHeaders } from '../pe/headers.ts';
import { PeImage, SECTION_HEADER_BYTES } from '../pe/image.ts';
import { undoFilter } from './filter.ts';
import { isMethod, unpackBlock } from './method.ts';
import type { Outcome, UnpackLimits } from './outcome.ts';
import { type ImportedNames, readImportedNames } from './pe-imports.ts';
import { type ProgramLayout, restoreResources, writeProgram } from './pe-program.ts';

/**
 * A Windows program packed with UPX: an empty section for the unpacked image, one with the packed
 * image and the unpacking code, one for resources and imports. Before the packed image:
 *
 *   +0   "UPX!", u8 version, u8 format (9 or 36), u8 method, u8 level
 *   +8   u32 checksum of the image, u32 of the packed data, u32 size of the image, u32 packed size,
 *        u32 size of the file
 *   +28  u8 filter, u8 mark of the filter, u8, u8 checksum of this header
 *   +32  the packed image: all sections from the first address on, then
 *          the imports and addresses to be relocated, in UPX's own format
 *          the headers ("PE\0\0" …) and the section headers of the program
 *          u32 offset of the imports, u32 0; u32 offset of the relocations, u8 flags; u16 (each
 *          only if present)
 *        the last four bytes: offset of those headers
 *
 * The mark may be erased, but the image and its sizes are needed at run time: the header is found
 * by consistent sizes, and confirmed if the image ends with the headers of a program. Not restored:
 * the DOS stub, the import directory (rebuilt in a section of its own), the relocation table, and
 * the exports of libraries, which stay in the packed file. Reference: UPX's documentation,
 * https://upx.github.io/, and packed programs compared with their originals.
 */
const MARK = Buffer.from('UPX!');
const HEADER_BYTES = 32;
const FORMATS: ReadonlySet<number> = new Set([9, 36]);
/** The header is at the end of the file's headers or at the start of the following section. */
const SEARCHED_BYTES = 0x1000;
/** The maximum file alignment of a section. */
const MAX_ALIGNMENT = 0x1000;

interface PackHeader {
  readonly offset: number;
  readonly method: number;
  readonly imageBytes: number;
  readonly packed: Buffer;
  readonly filter: { readonly id: number; readonly mark: number };
}

/** Quick test: finds a UPX header, marked or not, after the headers of the program. */
export function findPackHeader(bytes: Buffer): PackHeader | undefined {
  const headers = readHeaders(bytes);
  if (headers === undefined) return undefined;
  const from = headers.sectionTableOffset + headers.declaredSections * SECTION_HEADER_BYTES;
  const reader = new Reader(bytes);
  const marked = reader.upTo(from, SEARCHED_BYTES).indexOf(MARK);
  if (marked !== -1) return readPackHeader(reader, from + marked, headers);
  if (!isShapedLikePacked(reader, headers)) return undefined;
  for (let at = from; at < from + SEARCHED_BYTES; at += 1) {
    const found = FORMATS.has(bytes[at + 5] ?? 0) && readPackHeader(reader, at, headers);
    if (found) return found;
  }
  return undefined;
}

/** The first section has no bytes in the file. */
function isShapedLikePacked(reader: Reader, { sectionTableOffset }: PeHeaders): boolean {
  return reader.u32(sectionTableOffset + 8) !== 0 && reader.u32(sectionTableOffset + 16) === 0;
}

function readPackHeader(reader: Reader, at: number, headers: PeHeaders): PackHeader | undefined {
  const header = reader.slice(at, HEADER_BYTES);
  if (header === undefined || !FORMATS.has(header.readUInt8(5))) return undefined;
  const method = header.readUInt8(6);
  const [imageBytes, packedBytes] = [header.readUInt32LE(16), header.readUInt32LE(20)];
  const packed = reader.slice(at + HEADER_BYTES, packedBytes);
  const isLikely = isMethod(method) && packedBytes > 0 && packedBytes < imageBytes;
  if (!isLikely || packed === undefined || imageBytes > headers.sizeOfImage * 2) return undefined;
  const filter = { id: header.readUInt8(28), mark: header.readUInt8(29) };
  return { offset: at, method, imageBytes, packed, filter };
}

export function unpackPe(bytes: Buffer, limits: UnpackLimits): Outcome {
  const header = findPackHeader(bytes);
  const outer = readHeaders(bytes);
  if (header === undefined || outer === undefined) return 'unreadable';
  const { method, imageBytes: size, offset } = header;
  if (size > limits.bytes) return 'too-large';
  const image = unpackBlock(header.packed, method, { size, isOver: limits.isOver });
  const packed = new PeImage(bytes, outer);
  const layout = image && layoutOf(image, packed);
  if (image === undefined || layout === undefined) return 'unreadable';
  const notes = undoChanges(image, layout, header);
  const imports = importsOf(image, layout, packed);
  const program = writeProgram(image, layout, { packed, imports, maxBytes: limits.bytes });
  if (program === undefined) return 'too-large';
  restoreResources(program, packed);
  return { bytes: program, offset, notes };
}

/** The headers at the end of the image; `undefined` if there are none. */
function layoutOf(image: Buffer, packed: PeImage): ProgramLayout | undefined {
  const at = new Reader(image).u32(image.length - 4) ?? image.length;
  // Prepended with a DOS header, so that they can be parsed like those of a file.
  const asFile = Buffer.concat([Buffer.alloc(0x40), image.subarray(at)]);
  asFile.write('MZ');
  asFile.writeUInt32LE(0x40, 0x3c);
  const headers = readHeaders(asFile);
  if (headers === undefined || headers.is64 !== packed.headers.is64) return undefined;
  const { sections } = new PeImage(asFile, headers);
  const end = headers.sectionTableOffset + headers.declaredSections * SECTION_HEADER_BYTES;
  if (sections.length === 0 || sections.length !== headers.declaredSections) return undefined;
  // Sections of a regular program do not overlap: thousands of overlapping ones would be copied
  // repeatedly.
  const total = sections.reduce((sum, { rawSize }) => sum + rawSize, 0);
  if (total > image.length + sections.length * MAX_ALIGNMENT) return undefined;
  return {
    start: packed.sections[0]?.virtualAddress ?? 0,
    headers,
    headerBytes: asFile.subarray(0x40, end),
    sections,
    extras: new Reader(asFile.subarray(end)),
  };
}

const IMPORT_BYTES = 8;
const BASE_OF_CODE = 20;
const SIZE_OF_CODE = 4;

function undoChanges(image: Buffer, layout: ProgramLayout, { filter }: PackHeader): string[] {
  const optional = new Reader(layout.headerBytes.subarray(24));
  const start = (optional.u32(BASE_OF_CODE) ?? 0) - layout.start;
  const code = new Reader(image).upTo(start, optional.u32(SIZE_OF_CODE) ?? 0);
  const isUndone = undoFilter(code, filter);
  undoRelocations(image, layout);
  return isUndone ? [] : [`filter 0x${filter.id.toString(16)} was not undone`];
}

const RELOCATIONS = 5;

/**
 * Addresses are stored big-endian and relative to the image. Their offsets are delta-coded: a byte
 * below F0; or F0…FF, whose low four bits are the bits above a u16; if all of that is zero, a u32
 * follows.
 */
function undoRelocations(image: Buffer, { headers, extras, start }: ProgramLayout): void {
  if ((headers.directories[RELOCATIONS]?.size ?? 0) === 0) return;
  const source = new Reader(image);
  let at = extras.u32(hasImports(headers) ? IMPORT_BYTES : 0) ?? image.length;
  let offset = -4;
  for (let code = source.u8(at); code; code = source.u8(at)) {
    let distance = code;
    at += 1;
    if (code >= 0xf0) {
      distance = (code & 15) * 0x1_0000 + (source.u16(at) ?? 0);
      at += 2;
      if (distance === 0) {
        distance = source.u32(at) ?? image.length;
        at += 4;
      }
    }
    offset += distance;
    if (!relocate(image, offset, { is64: headers.is64, base: headers.imageBase + start })) return;
  }
}

function relocate(image: Buffer, offset: number, { is64, base }: Relocation): boolean {
  if (offset < 0 || offset + (is64 ? 8 : 4) > image.length) return false;
  if (is64) {
    const address = image.readBigUInt64BE(offset) + BigInt(base);
    image.writeBigUInt64LE(BigInt.asUintN(64, address), offset);
  } else {
    image.writeUInt32LE((image.readUInt32BE(offset) + base) >>> 0, offset);
  }
  return true;
}

interface Relocation {
  readonly is64: boolean;
  readonly base: number;
}

function hasImports({ directories }: PeHeaders): boolean {
  return (directories[DIRECTORY.import]?.rva ?? 0) !== 0;
}

function importsOf(
  image: Buffer,
  layout: ProgramLayout,
  packed: PeImage,
): readonly ImportedNames[] {
  const at = hasImports(layout.headers) ? layout.extras.u32(0) : undefined;
  return at === undefined ? [] : readImportedNames(image, { at, start: layout.start, packed });
}
