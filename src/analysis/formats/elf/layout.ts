import { Reader } from '../../reader.ts';

/**
 * Headers of an ELF file (System V ABI, "Object Files"). 32-bit and 64-bit files have the same
 * fields at different offsets; byte 5 states the byte order.
 *
 * | header | 32 | 64 |
 * |---|---|---|
 * | `7f 45 4c 46`, u8 class (1, 2), u8 data (1 little, 2 big), u8 version, u8 system | 0 | 0 |
 * | type, machine | 16, 18 | 16, 18 |
 * | entry, program headers, section headers | 24, 28, 32 (u32) | 24, 32, 40 (u64) |
 * | flags, then u16: header size, size and count of program headers, | 36, 40… | 48, 52… |
 * | size and count of section headers, index of the section of their names | | |
 *
 * | program header | 32 | 64 |
 * |---|---|---|
 * | type, flags | 0, 24 | 0, 4 |
 * | offset, address, size in file, in memory | 4, 8, 16, 20 | 8, 16, 32, 40 |
 *
 * | section header | 32 | 64 |
 * |---|---|---|
 * | name, type | 0, 4 | 0, 4 |
 * | flags, address, offset, size | 8, 12, 16, 20 | 8, 16, 24, 32 |
 * | link, entry size | 24, 36 | 40, 56 |
 */
export interface ElfHeader {
  readonly bits: 32 | 64;
  readonly bigEndian: boolean;
  readonly system: number;
  readonly type: number;
  readonly machine: number;
  readonly flags: number;
  readonly entry: number;
  readonly headerSize: number;
  readonly segments: HeaderTable;
  readonly sections: HeaderTable;
  readonly namesAt: number;
  /**
   * Whether class or byte order in the identification contradict the rest: the kernel ignores them.
   */
  readonly isDisguised: boolean;
}

/** The location of a table of headers. */
export interface HeaderTable {
  readonly offset: number;
  readonly entrySize: number;
  readonly count: number;
}

/** Reads integers in the width and byte order of the file. */
export class ElfReader extends Reader {
  readonly bits: 32 | 64;
  readonly bigEndian: boolean;

  constructor(bytes: Buffer, { bits, bigEndian }: Pick<ElfHeader, 'bits' | 'bigEndian'>) {
    super(bytes);
    this.bits = bits;
    this.bigEndian = bigEndian;
  }

  half(offset: number): number | undefined {
    return this.u16(offset, this.bigEndian);
  }

  word(offset: number): number | undefined {
    return this.u32(offset, this.bigEndian);
  }

  /** An address, offset or size. */
  size(offset: number): number | undefined {
    return this.bits === 64 ? this.u64(offset, this.bigEndian) : this.word(offset);
  }

  /** The offset of a field in files of this width. */
  at(in32: number, in64: number): number {
    return this.bits === 64 ? in64 : in32;
  }
}

const MAGIC = 0x7f454c46;
const HEADER_SIZE = { 32: 52, 64: 64 } as const;
const FORMS = [
  { bits: 32, bigEndian: false },
  { bits: 32, bigEndian: true },
  { bits: 64, bigEndian: false },
  { bits: 64, bigEndian: true },
] as const;

export function readHeader(bytes: Buffer): ElfHeader | undefined {
  const start = new Reader(bytes);
  if (start.u32(0, true) !== MAGIC) return undefined;
  const stated = FORMS.find(
    ({ bits, bigEndian }) => bytes[4] === (bits === 32 ? 1 : 2) && bytes[5] === (bigEndian ? 2 : 1),
  );
  const form =
    stated !== undefined && fits(bytes, stated) ? stated : FORMS.find((one) => fits(bytes, one));
  const chosen = form ?? stated;
  if (chosen === undefined || !start.has(0, HEADER_SIZE[chosen.bits])) return undefined;
  return readFields(new ElfReader(bytes, chosen), chosen !== stated);
}

/** The header states its own size, which differs between the layouts. */
function fits(bytes: Buffer, form: Pick<ElfHeader, 'bits' | 'bigEndian'>): boolean {
  const reader = new ElfReader(bytes, form);
  return reader.half(reader.at(40, 52)) === HEADER_SIZE[form.bits];
}

function readFields(reader: ElfReader, isDisguised: boolean): ElfHeader {
  const half = (offset: number) => reader.half(offset) ?? 0;
  const sizes = reader.at(40, 52);
  return {
    bits: reader.bits,
    bigEndian: reader.bigEndian,
    system: reader.u8(7) ?? 0,
    type: half(16),
    machine: half(18),
    flags: reader.word(reader.at(36, 48)) ?? 0,
    entry: reader.size(24) ?? 0,
    headerSize: half(sizes),
    segments: {
      offset: reader.size(reader.at(28, 32)) ?? 0,
      entrySize: half(sizes + 2),
      count: half(sizes + 4),
    },
    sections: {
      offset: reader.size(reader.at(32, 40)) ?? 0,
      entrySize: half(sizes + 6),
      count: half(sizes + 8),
    },
    namesAt: half(sizes + 10),
    isDisguised,
  };
}

export interface ElfSegment {
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly address: number;
  readonly fileSize: number;
  readonly memorySize: number;
}

export interface ElfSection {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly address: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
}

/** The kernel reads at most 64 KiB of program headers; regular files have a few dozen. */
const MAX_SEGMENTS = 1_024;
/** Object files with one section per function have thousands. */
const MAX_SECTIONS = 4_096;
const MAX_NAME = 256;
export const SECTION_WITHOUT_BYTES = 8;

export interface Headers<Entry> {
  readonly list: readonly Entry[];
  readonly oddities: readonly string[];
  readonly truncated: readonly string[];
}

export function readSegments(
  reader: ElfReader,
  { segments: table }: ElfHeader,
): Headers<ElfSegment> {
  return readTable(reader, { ...table, name: 'program headers', maxCount: MAX_SEGMENTS }, (at) => {
    const size = (in32: number, in64: number) => reader.size(at + reader.at(in32, in64)) ?? 0;
    return {
      type: reader.word(at) ?? 0,
      flags: reader.word(at + reader.at(24, 4)) ?? 0,
      offset: size(4, 8),
      address: size(8, 16),
      fileSize: size(16, 32),
      memorySize: size(20, 40),
    };
  });
}

export function readSections(reader: ElfReader, header: ElfHeader): Headers<ElfSection> {
  const stated = header.sections;
  // From 65,280 sections on, the count is 0 and the size field of the first section holds it.
  const first = stated.offset + reader.at(20, 32);
  const count = stated.count === 0 && stated.offset > 0 ? (reader.size(first) ?? 0) : stated.count;
  const table = { ...stated, count, name: 'section headers', maxCount: MAX_SECTIONS };
  const namesHeader = stated.offset + header.namesAt * stated.entrySize;
  const names = reader.size(namesHeader + reader.at(16, 24)) ?? 0;
  return readTable(reader, table, (at) => {
    const size = (in32: number, in64: number) => reader.size(at + reader.at(in32, in64)) ?? 0;
    return {
      name: reader.text(names + (reader.word(at) ?? 0), MAX_NAME) ?? '',
      type: reader.word(at + 4) ?? 0,
      flags: size(8, 8),
      address: size(12, 16),
      offset: size(16, 24),
      size: size(20, 32),
      link: reader.word(at + reader.at(24, 40)) ?? 0,
    };
  });
}

function readTable<Entry>(
  reader: ElfReader,
  table: HeaderTable & { readonly name: string; readonly maxCount: number },
  read: (at: number) => Entry,
): Headers<Entry> {
  const { offset, entrySize, count, name, maxCount } = table;
  const entryBytes = name === 'program headers' ? reader.at(32, 56) : reader.at(40, 64);
  if (count === 0) return { list: [], oddities: [], truncated: [] };
  if (entrySize < entryBytes) {
    return { list: [], oddities: [`${name} of ${entrySize} bytes`], truncated: [] };
  }
  const list: Entry[] = [];
  while (list.length < Math.min(count, maxCount)) {
    const at = offset + list.length * entrySize;
    if (!reader.has(at, entryBytes)) break;
    list.push(read(at));
  }
  const isCut = list.length < Math.min(count, maxCount);
  return {
    list,
    oddities: isCut ? [`${list.length} of ${count} ${name} lie in the file`] : [],
    truncated: count > maxCount ? [`${maxCount} of ${count} ${name} read`] : [],
  };
}

/** Checks the magic number, and that a 32-bit header fits. */
export function isElf(bytes: Buffer): boolean {
  return bytes.length >= 52 && bytes.readUInt32BE(0) === MAGIC;
}
