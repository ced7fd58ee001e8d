import { Reader } from '../../reader.ts';
import { type DotnetFile, MAX_ROWS, rows } from './file.ts';
import { offsetOf } from './image.ts';
import { TABLE } from './schema.ts';

/**
 * Resources of an assembly (ECMA-335, II.22.24): a u32 length and that many bytes, at an offset
 * from the resource directory of the CLI header. A resource named `*.resources` is a container of
 * named values, in the format of `System.Resources.ResourceReader`:
 *
 * | content | notes |
 * |---|---|
 * | u32 0xbeefcace, u32 version, u32 length | class names of that length follow; skipped |
 * | u32 version (1, 2), u32 value count, u32 type count | |
 * | type names | each a 7-bit encoded length and UTF-8 |
 * | padding | to a multiple of eight |
 * | u32 hash of each name, u32 offset of each name | offsets are relative to the name section |
 * | u32 offset of the data section | relative to the start |
 * | names | length in bytes, UTF-16LE, u32 offset in the data section |
 * | data | type (32 bytes, 33 stream: both u32 length and bytes), value |
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

/** The complete resources of this file; those of other files have only a name here. */
export function resourcesOf(file: DotnetFile): DotnetResource[] {
  const { tables, heaps } = file.metadata;
  const base = offsetOf(file.image, file.image.cli.resources.address);
  if (base === undefined) return [];
  return rows(tables.count(TABLE.manifestResource), MAX_ROWS.resources).flatMap((row) => {
    const cell = (column: number) => tables.cell(TABLE.manifestResource, row, column);
    const at = base + cell(0);
    const bytes = file.image.reader.slice(at + 4, file.image.reader.u32(at) ?? 0);
    if (cell(3) !== 0 || bytes === undefined || bytes.length === 0) return [];
    return [{ name: heaps.name(cell(2)), offset: at + 4, bytes }];
  });
}

/** The byte arrays and streams in a `*.resources` container; empty for other content. */
export function valuesOf(resource: DotnetResource): DotnetResource[] {
  const reader = new Reader(resource.bytes);
  if (reader.u32(0) !== CONTAINER_MAGIC) return [];
  const start = 12 + (reader.u32(8) ?? 0);
  const count = reader.u32(start + 4) ?? 0;
  const hashes = skipTypeNames(reader, start + 12, reader.u32(start + 8) ?? 0);
  const nameOffsets = hashes + count * 4;
  const names = nameOffsets + count * 4 + 4;
  const data = reader.u32(names - 4);
  if (data === undefined) return [];
  return rows(count, MAX_VALUES).flatMap((row) => {
    const named = readName(reader, names + (reader.u32(nameOffsets + (row - 1) * 4) ?? 0));
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

/** A 7-bit encoded integer: low bits first, at most five bytes. */
function readLength(reader: Reader, at: number): { value: number; size: number } {
  let value = 0;
  for (let size = 0; size < 5; size += 1) {
    const byte = reader.u8(at + size) ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * size);
    if (byte < 0x80) return { value, size: size + 1 };
  }
  return { value, size: 5 };
}
