import { Reader } from '../../reader.ts';
import { DIRECTORY } from '../pe/headers.ts';
import type { PeImage } from '../pe/image.ts';

/**
 * The imports as UPX stores them, library by library:
 *
 *   u32   offset of the library's name in the import directory of the packed file; 0 ends the list
 *   u32   offset of its addresses in the image
 *   …     functions: 01 and a zero-terminated name; FF (or any other byte) and a u16 ordinal;
 *         00 ends the library
 */
export interface ImportedNames {
  readonly library: string;
  /** The offset of the addresses in memory. */
  readonly addresses: number;
  readonly functions: readonly (string | number)[];
}

interface Source {
  readonly at: number;
  readonly start: number;
  readonly packed: PeImage;
}

const MAX_LIBRARIES = 256;
/** In all libraries together. */
const MAX_FUNCTIONS = 16_384;
const MAX_NAME = 512;
const END = 0;
const BY_NAME = 1;

/** Sorted by address, the order of the original program; UPX stores its own order. */
export function readImportedNames(
  image: Buffer,
  { at: first, start, packed }: Source,
): ImportedNames[] {
  const reader = new Reader(image);
  const directory = packed.directory(DIRECTORY.import)?.rva ?? 0;
  return readAll(reader, { at: first, start, packed, directory }).sort(
    (one, other) => one.addresses - other.addresses,
  );
}

function readAll(
  reader: Reader,
  { at: first, start, packed, directory }: Source & { readonly directory: number },
): ImportedNames[] {
  const libraries: ImportedNames[] = [];
  let remaining = MAX_FUNCTIONS;
  for (let at = first; libraries.length < MAX_LIBRARIES; ) {
    const nameOffset = reader.u32(at);
    const addresses = reader.u32(at + 4);
    const library = nameOffset ? packed.textAt(directory + nameOffset, MAX_NAME) : undefined;
    if (library === undefined || library === '' || addresses === undefined) return libraries;
    const { functions, end } = readFunctions(reader, at + 8, remaining);
    remaining -= functions.length;
    libraries.push({ library, addresses: start + addresses, functions });
    at = end;
  }
  return libraries;
}

function readFunctions(reader: Reader, first: number, maxCount: number) {
  const functions: (string | number)[] = [];
  let at = first;
  for (let kind = reader.u8(at); kind; kind = reader.u8(at)) {
    if (functions.length >= maxCount) break;
    const entry = kind === BY_NAME ? reader.text(at + 1, MAX_NAME) : reader.u16(at + 1);
    if (entry === undefined) break;
    functions.push(entry);
    at += typeof entry === 'string' ? entry.length + 2 : 3;
  }
  // An unterminated list ends the parse.
  return { functions, end: reader.u8(at) === END ? at + 1 : reader.length };
}

const DESCRIPTOR_BYTES = 20;

/** Builds an import directory for the loader, with its lists and names, at the given address. */
export function importSection(
  libraries: readonly ImportedNames[],
  { address, is64 }: { readonly address: number; readonly is64: boolean },
): Buffer {
  const width = is64 ? 8 : 4;
  const descriptors = Buffer.alloc((libraries.length + 1) * DESCRIPTOR_BYTES);
  const count = libraries.reduce((sum, { functions }) => sum + functions.length + 1, 0);
  const lists = Buffer.alloc(count * width);
  const names: Buffer[] = [];
  let nameAt = address + descriptors.length + lists.length;
  const addName = (text: string, hint: string): number => {
    const bytes = Buffer.from(`${hint}${text}\0`, 'latin1');
    names.push(bytes);
    nameAt += bytes.length;
    return nameAt - bytes.length;
  };
  let listAt = 0;
  for (const [index, { library, addresses, functions }] of libraries.entries()) {
    const descriptor = index * DESCRIPTOR_BYTES;
    descriptors.writeUInt32LE(address + descriptors.length + listAt, descriptor);
    descriptors.writeUInt32LE(addName(library, '') >>> 0, descriptor + 12);
    descriptors.writeUInt32LE(addresses >>> 0, descriptor + 16);
    for (const entry of functions) {
      writeEntry(lists, listAt, typeof entry === 'number' ? entry : addName(entry, '\0\0'), {
        isNumber: typeof entry === 'number',
        width,
      });
      listAt += width;
    }
    listAt += width;
  }
  return libraries.length === 0 ? Buffer.alloc(0) : Buffer.concat([descriptors, lists, ...names]);
}

/** The top bit marks an ordinal instead of the address of a name. */
function writeEntry(
  lists: Buffer,
  at: number,
  value: number,
  { isNumber, width }: { readonly isNumber: boolean; readonly width: number },
): void {
  lists.writeUInt32LE(isNumber && width === 4 ? value + 0x8000_0000 : value >>> 0, at);
  if (isNumber && width === 8) lists.writeUInt32LE(0x8000_0000, at + 4);
}
