import { Reader } from '../../reader.ts';
import { type HeapData, Heaps } from './heaps.ts';
import { CODED, type Column, SCHEMA } from './schema.ts';

/**
 * Metadata of a .NET module (ECMA-335, II.24.2).
 *
 * | root | content |
 * |---|---|
 * | 0 | u32 `BSJB`, u16 major, u16 minor, u32 reserved |
 * | 12 | u32 length of the version text, then the text |
 * | then | u16 flags, u16 count of streams |
 * | each stream | u32 offset from the root, u32 size, name: at most 32 bytes, zero-padded to four |
 *
 * | stream `#~` | content |
 * |---|---|
 * | 0 | u32 reserved, u8 major, u8 minor, u8 heap sizes, u8 reserved |
 * | 8 | u64 bit mask of present tables, u64 bit mask of sorted tables |
 * | 24 | u32 row count of each present table, then the tables in sequence |
 */
export interface Metadata {
  readonly offset: number;
  /** Target runtime: `v4.0.30319`. */
  readonly version: string;
  readonly streams: readonly Stream[];
  readonly tables: Tables;
  readonly heaps: Heaps;
  /** Whether the tables or a heap of names, literals or signatures reach out of the file. */
  readonly isTruncated: boolean;
  readonly oddities: readonly string[];
}

export interface Stream {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
}

const SIGNATURE = 0x424a5342;
const MAX_VERSION_BYTES = 256;
/** The runtime uses five; obfuscators add more. */
const MAX_STREAMS = 64;
const MAX_STREAM_NAME = 32;

/** Layout of one table. Column widths depend on the row counts of other tables. */
interface Table {
  readonly offset: number;
  readonly rowSize: number;
  /** The declared rows that fit in the stream. */
  readonly rows: number;
  readonly columns: readonly { readonly at: number; readonly size: number }[];
}

/** Reads cells on demand. Row numbers start at 1, as in tokens. */
export class Tables {
  readonly #reader: Reader;
  readonly #tables: readonly (Table | undefined)[];
  readonly isCut: boolean;

  constructor(reader: Reader, tables: readonly (Table | undefined)[], isCut: boolean) {
    this.#reader = reader;
    this.#tables = tables;
    this.isCut = isCut;
  }

  count(table: number): number {
    return this.#tables[table]?.rows ?? 0;
  }

  /** 0 for a missing table, row or column. */
  cell(table: number, row: number, column: number): number {
    const layout = this.#tables[table];
    const position = layout?.columns[column];
    if (layout === undefined || position === undefined || row < 1 || row > layout.rows) return 0;
    const at = layout.offset + (row - 1) * layout.rowSize + position.at;
    return (position.size === 2 ? this.#reader.u16(at) : this.#reader.u32(at)) ?? 0;
  }
}

export function readMetadata(whole: Reader, offset: number): Metadata | undefined {
  if (whole.u32(offset) !== SIGNATURE) return undefined;
  const length = whole.u32(offset + 12) ?? 0;
  if (length > MAX_VERSION_BYTES) return undefined;
  const oddities: string[] = [];
  const streams = readStreams(whole, { root: offset, at: offset + 16 + pad(length) }, oddities);
  const tables = readTables(whole, tableStream(streams), oddities);
  if (tables === undefined) return undefined;
  const heaps = new Heaps({
    strings: heap(whole, streams, '#Strings'),
    user: heap(whole, streams, '#US'),
    blobs: heap(whole, streams, '#Blob'),
    guids: heap(whole, streams, '#GUID'),
  });
  const version = whole.text(offset + 16, length) ?? '';
  const isTruncated = reachesOut(whole, streams);
  return { offset, version, streams, tables, heaps, isTruncated, oddities };
}

function readStreams(
  whole: Reader,
  { root, at }: { root: number; at: number },
  oddities: string[],
): Stream[] {
  const count = whole.u16(at + 2) ?? 0;
  if (count > MAX_STREAMS) oddities.push(`${count} metadata streams`);
  const streams: Stream[] = [];
  let header = at + 4;
  for (let index = 0; index < Math.min(count, MAX_STREAMS); index += 1) {
    const from = whole.u32(header);
    const size = whole.u32(header + 4);
    if (from === undefined || size === undefined) break;
    const name = whole.text(header + 8, MAX_STREAM_NAME) ?? '';
    if (!whole.has(root + from, size)) oddities.push(`stream ${name} reaches out of the file`);
    if (streams.some((other) => other.name === name))
      oddities.push(`stream ${name} is there twice`);
    streams.push({ name, offset: root + from, size });
    header += 8 + pad(name.length + 1);
  }
  return streams;
}

/**
 * If streams share a name, the runtime uses the last, or the first with uncompressed tables (`#-`).
 */
function findStream(streams: readonly Stream[], name: string): Stream | undefined {
  if (streams.some((stream) => stream.name === '#~')) return streams.findLast(named(name));
  return streams.find(named(name));
}

function tableStream(streams: readonly Stream[]): Stream | undefined {
  return findStream(streams, '#~') ?? findStream(streams, '#-');
}

function reachesOut(whole: Reader, streams: readonly Stream[]): boolean {
  const heaps = ['#Strings', '#US', '#Blob'].map((name) => findStream(streams, name));
  return [tableStream(streams), ...heaps].some(
    (stream) => stream !== undefined && !whole.has(stream.offset, stream.size),
  );
}

function heap(whole: Reader, streams: readonly Stream[], name: string): HeapData {
  const { offset, size } = findStream(streams, name) ?? { offset: 0, size: 0 };
  return { offset, bytes: whole.upTo(offset, size) };
}

function readTables(
  whole: Reader,
  stream: Stream | undefined,
  oddities: string[],
): Tables | undefined {
  if (stream === undefined) return undefined;
  const reader = new Reader(whole.upTo(stream.offset, stream.size));
  const heapSizes = reader.u8(6);
  if (heapSizes === undefined) return undefined;
  const { counts, end } = readRowCounts(reader, heapSizes);
  const tables: (Table | undefined)[] = [];
  let offset = end;
  let isCut = false;
  for (const [id, columns] of SCHEMA.entries()) {
    const stated = counts[id] ?? 0;
    const table = layOut(columns, offset, { counts, heapSizes });
    const fitting = Math.floor(Math.max(0, reader.length - offset) / table.rowSize);
    if (stated > fitting) isCut = true;
    tables.push({ ...table, rows: Math.min(stated, fitting) });
    offset += stated * table.rowSize;
  }
  if (isCut) oddities.push('tables with more rows than their stream has room for');
  return new Tables(reader, tables, isCut);
}

/** Includes tables that ECMA-335 does not define: their counts come last. */
function readRowCounts(reader: Reader, heapSizes: number): { counts: number[]; end: number } {
  const low = reader.u32(8) ?? 0;
  const high = reader.u32(12) ?? 0;
  const counts: number[] = [];
  let at = 24;
  for (let id = 0; id < 64; id += 1) {
    const present = ((id < 32 ? low : high) >>> (id & 31)) & 1;
    counts.push(present === 1 ? (reader.u32(at) ?? 0) : 0);
    at += present * 4;
  }
  // This bit is undocumented: with it the runtime skips four more bytes.
  return { counts, end: (heapSizes & 0x40) === 0 ? at : at + 4 };
}

interface Sizes {
  readonly counts: readonly number[];
  readonly heapSizes: number;
}

function layOut(columns: readonly Column[], offset: number, sizes: Sizes): Table {
  let at = 0;
  const positions = columns.map((column) => {
    const position = { at, size: columnSize(column, sizes) };
    at += position.size;
    return position;
  });
  return { offset, rowSize: at, rows: 0, columns: positions };
}

/** Bits of the heap sizes that make an index into the heap four bytes wide. */
const WIDE_HEAP = { string: 1, guid: 2, blob: 4 } as const;

function columnSize(column: Column, { counts, heapSizes }: Sizes): 2 | 4 {
  if (column === 'u16') return 2;
  if (column === 'u32') return 4;
  if (typeof column === 'string') return (heapSizes & WIDE_HEAP[column]) === 0 ? 2 : 4;
  const tables: readonly number[] = 'row' in column ? [column.row] : CODED[column.coded];
  const maxRows = Math.max(...tables.map((table) => counts[table] ?? 0));
  return maxRows < 0x10000 >> tagBits(tables.length) ? 2 : 4;
}

/** The table and row of a coded index. */
export function decodeIndex(
  kind: keyof typeof CODED,
  value: number,
): { readonly table: number; readonly row: number } {
  const tables: readonly number[] = CODED[kind];
  const bits = tagBits(tables.length);
  return { table: tables[value & ((1 << bits) - 1)] ?? -1, row: value >>> bits };
}

function tagBits(tables: number): number {
  return Math.ceil(Math.log2(tables));
}

function pad(length: number): number {
  return (length + 3) & ~3;
}

function named(name: string): (stream: Stream) => boolean {
  return (stream) => stream.name === name;
}
