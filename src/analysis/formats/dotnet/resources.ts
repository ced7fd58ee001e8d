import { Reader } from '../../reader.ts';
import { type DotnetFile, MOST, rows } from './file.ts';
import { offsetOf } from './image.ts';
import { TABLE } from './schema.ts';

/**
 * Resources of an assembly (ECMA-335, II.22.24): u32 length and as many bytes, at an offset from where the CLI
 * header says that resources begin. Those that are called `*.resources` hold named values in their turn, in the
 * form that `System.Resources.ResourceReader` reads:
 *
 * | what | |
 * |---|---|
 * | u32 0xbeefcace, u32 version, u32 length | of names of classes, to be skipped |
 * | u32 version (1, 2), u32 count of values, u32 count of types | |
 * | names of the types | each a length in groups of seven bits, and UTF-8 |
 * | padding to a multiple of eight | |
 * | u32 hash of each name, u32 place of each name | places count from behind the next number |
 * | u32 offset of the data | from the beginning |
 * | names | length in bytes, UTF-16, u32 offset in the data |
 * | data | type (32 is bytes, 33 a stream: both u32 length and bytes), value |
 */
export interface DotnetResource {
  readonly name: string;
  readonly offset: number;
  readonly bytes: Buffer;
}

const MAX_VALUES = 1_000;
const MAX_NAME_BYTES = 1_024;
const CONTAINER_MAGIC = 0xbeefcace;
const BYTES = 32;
const STREAM = 33;

/** Those that lie in this file and are whole; resources of other files are only named in the metadata. */
export function resourcesOf(file: DotnetFile): DotnetResource[] {
  const { tables, heaps } = file.metadata;
  const base = offsetOf(file.image, file.image.cli.resources.address);
  if (base === undefined) return [];
  return rows(tables.count(TABLE.manifestResource), MOST.resources).flatMap((row) => {
    const cell = (column: number) => tables.cell(TABLE.manifestResource, row, column);
    const at = base + cell(0);
    const bytes = file.image.reader.slice(at + 4, file.image.reader.u32(at) ?? 0);
    if (cell(3) !== 0 || bytes === undefined || bytes.length === 0) return [];
    return [{ name: heaps.name(cell(2)), offset: at + 4, bytes }];
  });
}

/** The byte arrays and streams in a `*.resources`; nothing for content of another form. */
export function valuesOf(resource: DotnetResource): DotnetResource[] {
  const reader = new Reader(resource.bytes);
  if (reader.u32(0) !== CONTAINER_MAGIC) return [];
  const start = 12 + (reader.u32(8) ?? 0);
  const count = reader.u32(start + 4) ?? 0;
  const hashes = skipTypeNames(reader, start + 12, reader.u32(start + 8) ?? 0);
  const places = hashes + count * 4;
  const names = places + count * 4 + 4;
  const data = reader.u32(names - 4);
  if (data === undefined) return [];
  return rows(count, MAX_VALUES).flatMap((row) => {
    const named = readName(reader, names + (reader.u32(places + (row - 1) * 4) ?? 0));
    const value = named === undefined ? undefined : readValue(reader, data + named.value);
    if (named === undefined || value === undefined) return [];
    return [{ name: named.name, offset: resource.offset + value.at, bytes: value.bytes }];
  });
}

function skipTypeNames(reader: Reader, from: number, count: number): number {
  let at = from;
  for (let left = Math.min(count, MAX_VALUES); left > 0; left -= 1) {
    const length = readLength(reader, at);
    at += length.size + length.value;
  }
  return (at + 7) & ~7;
}

function readName(reader: Reader, at: number): { name: string; value: number } | undefined {
  const length = readLength(reader, at);
  if (length.value > MAX_NAME_BYTES) return undefined;
  const name = reader.slice(at + length.size, length.value);
  const value = reader.u32(at + length.size + length.value);
  if (name === undefined || value === undefined) return undefined;
  return { name: name.toString('utf16le'), value };
}

function readValue(reader: Reader, at: number): { at: number; bytes: Buffer } | undefined {
  const type = reader.u8(at);
  if (type !== BYTES && type !== STREAM) return undefined;
  const bytes = reader.slice(at + 5, reader.u32(at + 1) ?? 0);
  return bytes === undefined ? undefined : { at: at + 5, bytes };
}

/** Seven bits a byte, the lowest first; five bytes at most. */
function readLength(reader: Reader, at: number): { value: number; size: number } {
  let value = 0;
  for (let size = 0; size < 5; size += 1) {
    const byte = reader.u8(at + size) ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * size);
    if (byte < 0x80) return { value, size: size + 1 };
  }
  return { value, size: 5 };
}
