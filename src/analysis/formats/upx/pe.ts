import { Reader } from '../../reader.ts';
import { DIRECTORY, directoriesAt, type PeHeaders, readHeaders } from '../pe/headers.ts';
import { PeImage, type PeSection } from '../pe/image.ts';
import { overlayOf } from '../pe/layout.ts';
import { readResources } from '../pe/resources.ts';
import { undoFilter } from './filter.ts';
import { isMethod, unpackBlock } from './method.ts';
import { type ImportedNames, importSection, readImportedNames } from './pe-imports.ts';
import type { Outcome, Room } from './room.ts';

/**
 * A program for Windows as UPX leaves it: an empty section for what will be unpacked, one with the packed image and the
 * code that unpacks it, one for resources and imports. Before the packed image stands
 *
 *   +0   "UPX!", u8 version, u8 format (9 or 36), u8 method, u8 level
 *   +8   u32 checksum of the image, u32 of what is packed, u32 size of the image, u32 packed size, u32 size of the file
 *   +28  u8 filter, u8 mark of the filter, u8, u8 checksum of this header
 *   +32  the packed image: all sections from the first address on, then
 *          the imports and addresses to be relocated, in UPX's own form
 *          the headers ("PE\0\0" …) and the section headers of the program
 *          u32 place of the imports, u32 0; u32 place of the relocations, u8 flags; u16 (each only where there are such)
 *        the last four bytes: place of those headers
 *
 * Whoever erases the mark must leave the rest, or the image: the header is known by numbers that agree, and is right when
 * the image ends with a program's headers. Not as in the original are the DOS stub, the import directory (made anew, in a
 * section of its own), the relocation table and the exports of libraries, which stay in the packed file.
 * Reference: UPX's documentation, https://upx.github.io/, and packed programs compared with what they were made from.
 */
const MARK = Buffer.from('UPX!');
const HEADER_BYTES = 32;
const FORMATS: ReadonlySet<number> = new Set([9, 36]);
/** The header stands at the end of the file's headers or at the start of the section behind them. */
const SEARCHED_BYTES = 0x1000;
const MAX_RESTORED = 512;
const SECTION_HEADER_BYTES = 40;
const SECTORS = 0x200;
/** A section of the file is filled up to so much. */
const MAX_ALIGNMENT = 0x1000;
/** Addresses have 32 bits; a section of imports is far smaller than what is left above this. */
const MAX_ADDRESS = 0xe000_0000;

interface PackHeader {
  readonly offset: number;
  readonly method: number;
  readonly imageBytes: number;
  readonly packed: Buffer;
  readonly filter: { readonly id: number; readonly mark: number };
}

/** Quick: whether there is a header of UPX, marked or not, behind those of the program. */
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

/** Its first section has no bytes in the file. */
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

export function unpackPe(bytes: Buffer, room: Room): Outcome {
  const header = findPackHeader(bytes);
  const outer = readHeaders(bytes);
  if (header === undefined || outer === undefined) return 'unreadable';
  const { method, imageBytes: size, offset } = header;
  if (size > room.bytes) return 'too-large';
  const image = unpackBlock(header.packed, method, { size, isOver: room.isOver });
  const packed = new PeImage(bytes, outer);
  const plan = image && planOf(image, packed);
  if (image === undefined || plan === undefined) return 'unreadable';
  const notes = undoChanges(image, plan, header);
  const imports = importsOf(image, plan, packed);
  const program = writeProgram(image, plan, { packed, imports, most: room.bytes });
  if (program === undefined) return 'too-large';
  restoreResources(program, packed);
  return { bytes: program, offset, notes };
}

interface Plan {
  /** Where the image begins in memory. */
  readonly start: number;
  /** The program's own, as they stand in the image. */
  readonly headers: PeHeaders;
  readonly headerBytes: Buffer;
  readonly sections: readonly PeSection[];
  /** Where UPX keeps what it needs to put together again; behind the headers. */
  readonly extras: Reader;
}

/** The headers that stand at the end of the image; nothing where there are none. */
function planOf(image: Buffer, packed: PeImage): Plan | undefined {
  const at = new Reader(image).u32(image.length - 4) ?? image.length;
  // So that they can be read like a file's: "MZ" and the place of the rest.
  const asFile = Buffer.concat([Buffer.alloc(0x40), image.subarray(at)]);
  asFile.write('MZ');
  asFile.writeUInt32LE(0x40, 0x3c);
  const headers = readHeaders(asFile);
  if (headers === undefined || headers.is64 !== packed.headers.is64) return undefined;
  const { sections } = new PeImage(asFile, headers);
  const end = headers.sectionTableOffset + headers.declaredSections * SECTION_HEADER_BYTES;
  if (sections.length === 0 || sections.length !== headers.declaredSections) return undefined;
  // Sections of a program share no bytes: thousands that are all of it would be copied again and again.
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

function undoChanges(image: Buffer, plan: Plan, { filter }: PackHeader): string[] {
  const optional = new Reader(plan.headerBytes.subarray(24));
  const start = (optional.u32(BASE_OF_CODE) ?? 0) - plan.start;
  const code = new Reader(image).upTo(start, optional.u32(SIZE_OF_CODE) ?? 0);
  const isUndone = undoFilter(code, filter);
  undoRelocations(image, plan);
  return isUndone ? [] : [`filter 0x${filter.id.toString(16)} was not undone`];
}

const RELOCATIONS = 5;

/**
 * Addresses are kept big-endian and counted from the image. Their places are told one after the other, each by how far
 * it is from the last: a byte below F0; or F0…FF, whose low four bits are above a u16, or where all of that is zero, a u32.
 */
function undoRelocations(image: Buffer, { headers, extras, start }: Plan): void {
  if ((headers.directories[RELOCATIONS]?.size ?? 0) === 0) return;
  const source = new Reader(image);
  let at = extras.u32(hasImports(headers) ? IMPORT_BYTES : 0) ?? image.length;
  let place = -4;
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
    place += distance;
    if (!relocate(image, place, { is64: headers.is64, base: headers.imageBase + start })) return;
  }
}

function relocate(image: Buffer, place: number, { is64, base }: Relocation): boolean {
  if (place < 0 || place + (is64 ? 8 : 4) > image.length) return false;
  if (is64) {
    const address = image.readBigUInt64BE(place) + BigInt(base);
    image.writeBigUInt64LE(BigInt.asUintN(64, address), place);
  } else {
    image.writeUInt32LE((image.readUInt32BE(place) + base) >>> 0, place);
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

function importsOf(image: Buffer, plan: Plan, packed: PeImage): readonly ImportedNames[] {
  const at = hasImports(plan.headers) ? plan.extras.u32(0) : undefined;
  return at === undefined ? [] : readImportedNames(image, { at, start: plan.start, packed });
}

interface Written {
  readonly packed: PeImage;
  readonly imports: readonly ImportedNames[];
  readonly most: number;
}

/** The file: headers, sections at the places that they had, imports behind them, then what was behind the packed file. */
function writeProgram(image: Buffer, plan: Plan, { packed, imports, most }: Written) {
  const end = aligned(Math.max(0x400, ...plan.sections.map((one) => one.rawOffset + one.rawSize)));
  const overlay = overlayOf(packed);
  const rest = overlay ? packed.reader.upTo(overlay.offset, overlay.size) : Buffer.alloc(0);
  const address = pageAligned(Math.max(...plan.sections.map(endInMemory)));
  // Where sections end beyond what an address can say, there is none for another.
  const placed = address < MAX_ADDRESS ? imports : [];
  const added = importSection(placed, { address, is64: plan.headers.is64 });
  const size = end + aligned(added.length) + rest.length;
  if (size > most) return undefined;
  const program = Buffer.alloc(size);
  for (const { rawOffset, rawSize, virtualAddress } of plan.sections) {
    const content = new Reader(image).upTo(virtualAddress - plan.start, rawSize);
    content.copy(program, rawOffset);
  }
  const headersEnd = writeHeaders(program, plan, packed);
  const section = { address, offset: end, size: added.length };
  if (headersEnd !== undefined && added.length > 0) {
    added.copy(program, end);
    addImportSection(program, headersEnd, section);
  }
  rest.copy(program, end + aligned(added.length));
  return program;
}

function endInMemory({ virtualAddress, virtualSize, rawSize }: PeSection): number {
  return virtualAddress + Math.max(virtualSize, rawSize);
}

/** Gives the end of the section headers. */
function writeHeaders(program: Buffer, plan: Plan, packed: PeImage): number | undefined {
  const firstByte = Math.min(
    ...plan.sections.filter(({ rawSize }) => rawSize > 0).map(({ rawOffset }) => rawOffset),
  );
  const room = Math.min(firstByte, program.length) - plan.headerBytes.length;
  const nt = packed.headers.ntOffset <= room ? packed.headers.ntOffset : 0x40;
  packed.reader.upTo(0, nt).copy(program);
  program.writeUInt32LE(nt, 0x3c);
  plan.headerBytes.copy(program, nt);
  const end = nt + plan.headerBytes.length;
  return end + SECTION_HEADER_BYTES <= firstByte ? end : undefined;
}

const NAME = '.imports';
const DATA_READ = 0x4000_0040;

interface Place {
  readonly address: number;
  readonly offset: number;
  readonly size: number;
}

function addImportSection(program: Buffer, end: number, { address, offset, size }: Place): void {
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

/** Icons, versions and manifests stay unpacked, for Windows to see; where they were are zeros. */
function restoreResources(program: Buffer, packed: PeImage): void {
  const headers = readHeaders(program);
  if (headers === undefined) return;
  const kept = new Map(readResources(packed).map((one) => [keyOf(one), one]));
  // Crafted resources may all be the same bytes.
  let left = program.length;
  for (const resource of readResources(new PeImage(program, headers)).slice(0, MAX_RESTORED)) {
    left -= resource.size;
    if (left < 0) return;
    const source = kept.get(keyOf(resource));
    const place = program.subarray(resource.offset, resource.offset + resource.size);
    if (source?.size !== resource.size || place.some((byte) => byte !== 0)) continue;
    packed.reader.upTo(source.offset, source.size).copy(place);
  }
}

function keyOf({ type, name, language }: { type: string; name: string; language: number }): string {
  return JSON.stringify([type, name, language]);
}

function aligned(size: number): number {
  return Math.ceil(size / SECTORS) * SECTORS;
}

function pageAligned(size: number): number {
  return Math.ceil(size / 0x1000) * 0x1000;
}
