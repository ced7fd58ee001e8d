import { DIRECTORY } from './headers.ts';
import type { PeImage } from './image.ts';

/**
 * The export directory of 40 bytes ("PE Format").
 *
 *   12  u32  name of the library      20  u32  number of functions
 *   24  u32  number of names          32  u32  address of the array of name addresses
 */
export interface PeExports {
  /** The name of the library according to itself, which may differ from the file name. */
  readonly library: string;
  readonly functionCount: number;
  /** The names that were read, in the order of the table. */
  readonly names: readonly string[];
}

const DIRECTORY_BYTES = 40;
const MAX_NAMES = 32_768;
const MAX_NAME = 512;

export function readExports(image: PeImage): PeExports | undefined {
  const location = image.directory(DIRECTORY.export);
  if (location === undefined) return undefined;
  const directory = image.bytesAt(location.rva, DIRECTORY_BYTES);
  if (directory?.length !== DIRECTORY_BYTES) {
    image.malformed.add('the export directory lies outside of the file');
    return undefined;
  }
  return {
    library: image.textAt(directory.readUInt32LE(12), MAX_NAME) ?? '',
    functionCount: directory.readUInt32LE(20),
    names: readNames(image, directory.readUInt32LE(32), directory.readUInt32LE(24)),
  };
}

function readNames(image: PeImage, table: number, count: number): string[] {
  const names: string[] = [];
  if (count > MAX_NAMES) image.truncated.add('exports');
  for (let index = 0; index < Math.min(count, MAX_NAMES); index++) {
    const rva = image.u32At(table + index * 4);
    const name = rva === undefined ? undefined : image.textAt(rva, MAX_NAME);
    if (name === undefined) {
      image.malformed.add('the export names cannot be read');
      break;
    }
    names.push(name);
  }
  return names;
}
