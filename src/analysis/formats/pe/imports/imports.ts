import { createHash } from 'node:crypto';
import { DIRECTORY } from '../headers.ts';
import type { PeImage } from '../image.ts';
import { ordinalName } from './ordinals.ts';
import { type Thunk, ThunkReader } from './thunks.ts';

/**
 * Imports: an array of descriptors, ended by one of zeros.
 *
 *   0   u32  lookup table: addresses of hint and name, or ordinals (top bit set); ended by a zero
 *   12  u32  name of the library
 *   16  u32  address table: the same, until the loader fills it in
 *
 * Delayed imports have descriptors of 32 bytes (attributes, name, handle, address table, name
 * table, ...). Reference: "PE Format", learn.microsoft.com/windows/win32/debug/pe-format.
 *
 * Damaged tables can be read in several ways, but the import hash must equal that of other tools:
 * the limits and plausibility checks here are those of pefile.
 */
export interface ImportedLibrary {
  readonly library: string;
  readonly functions: readonly ImportedFunction[];
}

export interface ImportedFunction {
  /** For an ordinal its name if that is well known, else `ord7`. */
  readonly name: string;
  readonly ordinal?: number | undefined;
  /** The file offset of the table entry. */
  readonly offset?: number | undefined;
}

const MAX_NAME = 0x200;
const MAX_EMPTY_LIBRARIES = 5;
const MAX_DELAYED_LIBRARIES = 256;
const MAX_INVALID_NAMES = 1000;
const DESCRIPTOR_BYTES = 20;
const DELAYED_DESCRIPTOR_BYTES = 32;
const FUNCTION_NAME = /^[A-Za-z0-9._?@$()<>]*$/;
const LIBRARY_NAME = /^[A-Za-z0-9!#$%&'()\-@^_`{}~+,.;=[\]:\\/]*$/;

export class ImportReader {
  readonly #image: PeImage;
  readonly #tables: ThunkReader;

  constructor(image: PeImage) {
    this.#image = image;
    this.#tables = new ThunkReader(image);
  }

  imports(): readonly ImportedLibrary[] {
    const libraries: ImportedLibrary[] = [];
    let rva = this.#image.directory(DIRECTORY.import)?.rva;
    let empty = 0;
    while (rva !== undefined) {
      const descriptor = this.#descriptor(rva, DESCRIPTOR_BYTES);
      if (descriptor === undefined) break;
      rva += DESCRIPTOR_BYTES;
      const functions = this.#functionsOf(descriptor, rva);
      if (empty > MAX_EMPTY_LIBRARIES) break;
      if (functions.length === 0) {
        empty += 1;
        this.#image.malformed.add('an import table cannot be read');
        continue;
      }
      const library = this.#libraryName(descriptor.readUInt32LE(12));
      if (library !== '') libraries.push({ library, functions: named(library, functions) });
    }
    return libraries;
  }

  /** Shares the limit with the regular imports, so it must be called after them. */
  delayImports(): readonly ImportedLibrary[] {
    const libraries: ImportedLibrary[] = [];
    let rva = this.#image.directory(DIRECTORY.delayImport)?.rva;
    for (let count = 0; rva !== undefined && count < MAX_DELAYED_LIBRARIES; count++) {
      const descriptor = this.#descriptor(rva, DELAYED_DESCRIPTOR_BYTES);
      if (descriptor === undefined) break;
      rva += DELAYED_DESCRIPTOR_BYTES;
      // Old compilers wrote virtual addresses instead of relative ones.
      const base = (descriptor.readUInt32LE(0) & 1) === 1 ? 0 : this.#image.headers.imageBase;
      const thunks = this.#tables.read(
        descriptor.readUInt32LE(16) - base,
        Number.POSITIVE_INFINITY,
        base,
      );
      const library = this.#libraryName(descriptor.readUInt32LE(4) - base);
      const functions = this.#functions(thunks);
      if (library === '' || functions.length === 0) break;
      libraries.push({ library, functions: named(library, functions) });
    }
    return libraries;
  }

  /** `undefined` at the end of the table. */
  #descriptor(rva: number, size: number): Buffer | undefined {
    const descriptor = this.#image.bytesAt(rva, size);
    if (descriptor?.length !== size || descriptor.every((byte) => byte === 0)) return undefined;
    return descriptor;
  }

  #libraryName(rva: number): string {
    const name = this.#image.textAt(rva, MAX_NAME) ?? '';
    return LIBRARY_NAME.test(name) ? name : '*invalid*';
  }

  #functionsOf(descriptor: Buffer, descriptorEnd: number): ImportedFunction[] {
    const lookup = descriptor.readUInt32LE(0);
    const address = descriptor.readUInt32LE(16);
    const nearest = Math.min(lookup, address);
    // A table before its descriptor must end there.
    const maxBytes = descriptorEnd > nearest ? descriptorEnd - nearest : Number.POSITIVE_INFINITY;
    const fromLookup = this.#tables.read(lookup, maxBytes);
    const fromAddress = this.#tables.read(address, maxBytes);
    return this.#functions(fromLookup.length > 0 ? fromLookup : fromAddress);
  }

  /** Empty if an entry points nowhere: then it is no table. */
  #functions(thunks: readonly Thunk[]): ImportedFunction[] {
    const functions: ImportedFunction[] = [];
    let invalid = 0;
    for (const [index, thunk] of thunks.entries()) {
      const name = this.#functionName(thunk);
      if (name === undefined) return [];
      const isValid = FUNCTION_NAME.test(name);
      if (!isValid && invalid > MAX_INVALID_NAMES && invalid === index) return [];
      if (!isValid) invalid += 1;
      else if (name !== '' || (thunk.ordinal ?? 0) !== 0) {
        const offset = this.#image.rvaToOffset(thunk.rva);
        functions.push({ name, offset, ...(thunk.ordinal && { ordinal: thunk.ordinal }) });
      }
    }
    return functions;
  }

  /** Empty for an ordinal, which is named once the library is known. */
  #functionName({ address, ordinal }: Thunk): string | undefined {
    if (ordinal !== undefined) return '';
    if (this.#image.bytesAt(address, 2) === undefined) return undefined;
    return this.#image.textAt(address + 2, MAX_NAME) ?? '';
  }
}

function named(library: string, functions: readonly ImportedFunction[]): ImportedFunction[] {
  return functions.map((imported) =>
    imported.ordinal === undefined
      ? imported
      : { ...imported, name: ordinalName(library, imported.ordinal) },
  );
}

/**
 * The MD5 of all `library.function` in order, introduced by Mandiant in 2014; `undefined` without
 * imports.
 */
export function imphashOf(libraries: readonly ImportedLibrary[]): string | undefined {
  if (libraries.length === 0) return undefined;
  const names = libraries.flatMap(({ library, functions }) => {
    const stem = library.toLowerCase().replace(/\.(?:dll|ocx|sys)$/, '');
    return functions.map(({ name }) => `${stem}.${name.toLowerCase()}`);
  });
  return createHash('md5').update(names.join(',')).digest('hex');
}
