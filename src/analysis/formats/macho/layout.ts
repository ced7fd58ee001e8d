import { Reader } from '../../reader.ts';

/**
 * Headers of Mach-O files (Apple's `mach-o/loader.h` and `mach-o/fat.h`).
 *
 * | thin | content |
 * |---|---|
 * | 0 | u32 `feedface` (32-bit) or `feedfacf` (64-bit), in the byte order of the file |
 * | 4 | u32 each: processor, subtype, file type, number and size of load commands, flags; |
 * |   | 64-bit: reserved |
 * | 28, 32 | load commands: u32 command, u32 size including these eight bytes, content |
 *
 * | universal, always big-endian | content |
 * |---|---|
 * | 0 | u32 `cafebabe` (or `cafebabf`: 64-bit offsets and sizes), u32 count |
 * | 8 | each: u32 processor, subtype, offset, size, alignment; 64-bit: u32 reserved |
 *
 * Java classes begin with `cafebabe` as well. Their next u32 has a version of at least 45 in its
 * low half, and no universal file has that many parts.
 */
const FIRST_JAVA_VERSION = 45;

const THIN: ReadonlyMap<number, { readonly bits: 32 | 64; readonly bigEndian: boolean }> = new Map([
  [0xfeedface, { bits: 32, bigEndian: true }],
  [0xcefaedfe, { bits: 32, bigEndian: false }],
  [0xfeedfacf, { bits: 64, bigEndian: true }],
  [0xcffaedfe, { bits: 64, bigEndian: false }],
]);
const UNIVERSAL = 0xcafebabe;
const UNIVERSAL_64 = 0xcafebabf;

export type MachKind = 'thin' | 'universal' | 'java-class';

/** Judged by the first bytes only. */
export function machKind(bytes: Buffer): MachKind | undefined {
  const reader = new Reader(bytes);
  const magic = reader.u32(0, true) ?? 0;
  if (THIN.has(magic)) return reader.has(0, 28) ? 'thin' : undefined;
  const count = reader.u32(4, true);
  if (count === undefined) return undefined;
  if (magic === UNIVERSAL_64) return 'universal';
  if (magic !== UNIVERSAL) return undefined;
  if (count < FIRST_JAVA_VERSION) return 'universal';
  return (count & 0xffff) >= FIRST_JAVA_VERSION ? 'java-class' : undefined;
}

/** Reads integers in the width and byte order of the file. */
export class MachReader extends Reader {
  readonly bits: 32 | 64;
  readonly bigEndian: boolean;

  constructor(bytes: Buffer, form: { readonly bits: 32 | 64; readonly bigEndian: boolean }) {
    super(bytes);
    this.bits = form.bits;
    this.bigEndian = form.bigEndian;
  }

  word(offset: number): number {
    return this.u32(offset, this.bigEndian) ?? 0;
  }

  /** An address, offset or size in a structure that exists in both widths. */
  size(offset: number): number {
    return (this.bits === 64 ? this.u64(offset, this.bigEndian) : this.word(offset)) ?? 0;
  }
}

export function machReader(bytes: Buffer): MachReader | undefined {
  const form = THIN.get(new Reader(bytes).u32(0, true) ?? 0);
  return form === undefined ? undefined : new MachReader(bytes, form);
}

export interface MachSlice {
  readonly processor: number;
  readonly offset: number;
  readonly size: number;
}

export interface MachSlices {
  readonly list: readonly MachSlice[];
  readonly oddities: readonly string[];
}

/**
 * The slices that lie in the file, after the list itself: a slice that contains the whole file
 * would recurse forever.
 */
export function readSlices(bytes: Buffer): MachSlices {
  const reader = new Reader(bytes);
  const stated = reader.u32(4, true) ?? 0;
  const listed = listedSlices(reader, Math.min(stated, FIRST_JAVA_VERSION));
  const list: MachSlice[] = [];
  const oddities = stated > listed.length ? [`${listed.length} of ${stated} parts are listed`] : [];
  const end = 8 + listed.length * sliceWidth(reader);
  for (const [index, part] of listed.entries()) {
    if (part.offset < end || part.size === 0 || !reader.has(part.offset, part.size)) {
      oddities.push(`part ${index} lies outside of the file or over its header`);
    } else if (list.some((other) => overlap(other, part))) {
      oddities.push(`part ${index} lies over another`);
    } else list.push(part);
  }
  return { list, oddities };
}

function sliceWidth(reader: Reader): 20 | 32 {
  return reader.u32(0, true) === UNIVERSAL_64 ? 32 : 20;
}

function listedSlices(reader: Reader, count: number): MachSlice[] {
  const width = sliceWidth(reader);
  const listed: MachSlice[] = [];
  for (let at = 8; listed.length < count && reader.has(at, width); at += width) {
    const [offset, size] =
      width === 32
        ? [reader.u64(at + 8, true), reader.u64(at + 16, true)]
        : [reader.u32(at + 8, true), reader.u32(at + 12, true)];
    listed.push({ processor: reader.u32(at, true) ?? 0, offset: offset ?? 0, size: size ?? 0 });
  }
  return listed;
}

function overlap(one: MachSlice, other: MachSlice): boolean {
  return one.offset < other.offset + other.size && other.offset < one.offset + one.size;
}
