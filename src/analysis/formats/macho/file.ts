import type { Parser } from '../../subject.ts';
import { type MachReader, type MachSlice, machKind, machReader, readSlices } from './layout.ts';
import { type MachSignature, readSignature } from './signature.ts';

/** A program for one processor, or a universal file with several. */
export type MachFile = MachProgram | MachUniversal;

export interface MachUniversal {
  readonly kind: 'universal';
  readonly slices: readonly MachSlice[];
  readonly oddities: readonly string[];
}

export interface MachProgram {
  readonly kind: 'thin';
  readonly bits: 32 | 64;
  readonly bigEndian: boolean;
  readonly processor: number;
  readonly fileType: number;
  readonly flags: number;
  readonly segments: readonly MachSegment[];
  readonly libraries: readonly string[];
  readonly searchPaths: readonly string[];
  /** The install name of a library. */
  readonly installName: string | undefined;
  readonly uuid: string | undefined;
  readonly platform: string | undefined;
  readonly minimumVersion: string | undefined;
  /** The entry point: an offset in the file (`main`), or an address (`thread`). */
  readonly entry: { readonly kind: 'main' | 'thread'; readonly at: number } | undefined;
  readonly isEncrypted: boolean;
  readonly signature: MachSignature | undefined;
  readonly imported: readonly string[];
  readonly exported: readonly string[];
  readonly oddities: readonly string[];
  readonly truncated: readonly string[];
}

export interface MachSegment {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  /** The initial protection: 1 read, 2 write, 4 execute. */
  readonly protection: number;
  readonly sections: readonly string[];
}

const MAX_COMMANDS = 4_096;
const MAX_SECTIONS = 1_024;
const MAX_SYMBOLS = 60_000;
const MAX_TEXT = 1_024;
const NAME = 16;

const COMMAND = {
  segment: 0x01,
  symbols: 0x02,
  unixThread: 0x05,
  installName: 0x0d,
  segment64: 0x19,
  uuid: 0x1b,
  signature: 0x1d,
  encryption: 0x21,
  encryption64: 0x2c,
  buildVersion: 0x32,
  searchPath: 0x8000001c,
  main: 0x80000028,
} as const;
/** Regular, weak, re-exported, lazy and upward libraries. */
const LIBRARY = new Set([0x0c, 0x80000018, 0x8000001f, 0x20, 0x80000023]);
const MINIMUM: ReadonlyMap<number, string> = new Map([
  [0x24, 'macOS'],
  [0x25, 'iOS'],
  [0x2f, 'tvOS'],
  [0x30, 'watchOS'],
]);
const PLATFORMS: readonly string[] = [
  ...['', 'macOS', 'iOS', 'tvOS', 'watchOS', 'bridgeOS', 'Mac Catalyst', 'iOS simulator'],
  ...['tvOS simulator', 'watchOS simulator', 'DriverKit', 'visionOS', 'visionOS simulator'],
];

export const parseMachO: Parser<MachFile> = (bytes) => {
  const kind = machKind(bytes);
  if (kind === 'universal') {
    const { list, oddities } = readSlices(bytes);
    return { kind, slices: list, oddities };
  }
  const reader = kind === 'thin' ? machReader(bytes) : undefined;
  return reader === undefined ? undefined : readProgram(reader);
};

interface Command {
  readonly command: number;
  readonly at: number;
  readonly size: number;
}

function readProgram(reader: MachReader): MachProgram {
  const oddities: string[] = [];
  const commands = readCommands(reader, oddities);
  const first = (...wanted: number[]) => commands.find(({ command }) => wanted.includes(command));
  const all = (wanted: (command: number) => boolean) =>
    commands.filter(({ command }) => wanted(command)).map((one) => textIn(reader, one));
  const installName = first(COMMAND.installName);
  const signature = first(COMMAND.signature);
  const segments = commands
    .filter(({ command }) => command === segmentOf(reader))
    .map((command) => readSegment(reader, command));
  for (const { name, offset, size } of segments) {
    if (size > 0 && !reader.has(offset, size)) {
      oddities.push(`segment ${name} reaches out of the file`);
    }
  }
  return {
    kind: 'thin',
    bits: reader.bits,
    bigEndian: reader.bigEndian,
    processor: reader.word(4),
    fileType: reader.word(12),
    flags: reader.word(24),
    segments,
    libraries: all((command) => LIBRARY.has(command)),
    searchPaths: all((command) => command === COMMAND.searchPath),
    installName: installName && textIn(reader, installName),
    uuid: readUuid(reader, first(COMMAND.uuid)),
    ...readPlatform(reader, commands),
    entry: readEntry(reader, first(COMMAND.main, COMMAND.unixThread)),
    isEncrypted: isEncrypted(reader, first(COMMAND.encryption, COMMAND.encryption64)),
    signature:
      signature &&
      readSignature(reader, reader.word(signature.at + 8), reader.word(signature.at + 12)),
    ...readSymbols(reader, first(COMMAND.symbols)),
    oddities,
    truncated:
      reader.word(16) > MAX_COMMANDS
        ? [`${MAX_COMMANDS} of ${reader.word(16)} load commands read`]
        : [],
  };
}

/** Reads commands up to the first that has no size or exceeds the area of commands. */
function readCommands(reader: MachReader, oddities: string[]): Command[] {
  const count = reader.word(16);
  const start = reader.bits === 64 ? 32 : 28;
  const end = Math.min(start + reader.word(20), reader.length);
  const commands: Command[] = [];
  let at = start;
  while (commands.length < Math.min(count, MAX_COMMANDS)) {
    const size = at + 8 <= end ? reader.word(at + 4) : 0;
    if (size < 8 || at + size > end) {
      oddities.push(`load command ${commands.length} of ${count} has no room or no size`);
      break;
    }
    commands.push({ command: reader.word(at), at, size });
    at += size;
  }
  return commands;
}

/** The text whose offset in the command is the first field. */
function textIn(reader: MachReader, { at, size }: Command): string {
  const into = reader.word(at + 8);
  return into < 12 || into >= size
    ? ''
    : (reader.text(at + into, Math.min(size - into, MAX_TEXT), 'utf8') ?? '');
}

/** The loader accepts only those of the file's own width. */
function segmentOf(reader: MachReader): number {
  return reader.bits === 64 ? COMMAND.segment64 : COMMAND.segment;
}

/**
 * Name (16 bytes), address, size in memory, offset, size in the file, protections, number of
 * sections.
 */
function readSegment(reader: MachReader, { at, size }: Command): MachSegment {
  const width = reader.bits === 64 ? 8 : 4;
  const after = at + 24 + width * 4;
  const sectionSize = reader.bits === 64 ? 80 : 68;
  const maxCount = Math.floor((at + size - after - 16) / sectionSize);
  const count = Math.max(0, Math.min(reader.word(after + 8), maxCount, MAX_SECTIONS));
  return {
    name: reader.text(at + 8, NAME) ?? '',
    offset: reader.size(at + 24 + width * 2),
    size: reader.size(at + 24 + width * 3),
    protection: reader.word(after + 4),
    sections: Array.from(
      { length: count },
      (_, index) => reader.text(after + 16 + index * sectionSize, NAME) ?? '',
    ),
  };
}

function readUuid(reader: MachReader, command: Command | undefined): string | undefined {
  const hex = command && reader.slice(command.at + 8, 16)?.toString('hex');
  return hex?.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function readPlatform(
  reader: MachReader,
  commands: readonly Command[],
): Pick<MachProgram, 'platform' | 'minimumVersion'> {
  for (const { command, at } of commands) {
    const old = MINIMUM.get(command);
    if (old !== undefined) return { platform: old, minimumVersion: version(reader.word(at + 8)) };
    if (command === COMMAND.buildVersion) {
      const platform = reader.word(at + 8);
      return {
        platform: PLATFORMS[platform] ?? `platform ${platform}`,
        minimumVersion: version(reader.word(at + 12)),
      };
    }
  }
  return { platform: undefined, minimumVersion: undefined };
}

/** Sixteen bits, eight, eight. */
function version(packed: number): string {
  const patch = packed & 0xff;
  return `${packed >>> 16}.${(packed >>> 8) & 0xff}${patch === 0 ? '' : `.${patch}`}`;
}

/** The instruction pointer in the initial thread state, for the common processors only. */
function readEntry(reader: MachReader, command: Command | undefined): MachProgram['entry'] {
  if (command === undefined) return undefined;
  if (command.command === COMMAND.main) {
    const at = reader.u64(command.at + 8, reader.bigEndian);
    return at === undefined ? undefined : { kind: 'main', at };
  }
  const register = THREAD_REGISTERS.get(reader.word(4));
  if (register === undefined) return undefined;
  return { kind: 'thread', at: reader.size(command.at + 16 + register) };
}

/**
 * x86 `eip` (10th of 4 bytes), x86-64 `rip` (16th of 8), ARM `pc` (15th of 4), ARM64 `pc` (32nd of
 * 8), PowerPC `srr0`.
 */
const THREAD_REGISTERS: ReadonlyMap<number, number> = new Map([
  [7, 40],
  [0x01000007, 128],
  [12, 60],
  [0x0100000c, 256],
  [18, 0],
]);

function isEncrypted(reader: MachReader, command: Command | undefined): boolean {
  return command !== undefined && reader.word(command.at + 16) !== 0;
}

type Symbols = Pick<MachProgram, 'imported' | 'exported'>;

/**
 * A symbol: u32 name, u8 type (bit 0 external, bits 1 to 3 the kind: 0 undefined; the top three
 * bits mark debugging symbols), u8 section, u16 description, value.
 */
function readSymbols(reader: MachReader, command: Command | undefined): Symbols {
  const imported = new Set<string>();
  const exported = new Set<string>();
  if (command === undefined) return { imported: [], exported: [] };
  const [offset = 0, count = 0, strings = 0] = [8, 12, 16].map((at) =>
    reader.word(command.at + at),
  );
  const width = reader.bits === 64 ? 16 : 12;
  for (let index = 0; index < Math.min(count, MAX_SYMBOLS); index += 1) {
    const at = offset + index * width;
    if (!reader.has(at, width)) break;
    const type = reader.u8(at + 4) ?? 0;
    const name = reader.text(strings + reader.word(at), MAX_TEXT, 'utf8') ?? '';
    if ((type & 0xe0) !== 0 || (type & 1) === 0 || name === '') continue;
    ((type & 0x0e) === 0 ? imported : exported).add(name);
  }
  return { imported: [...imported], exported: [...exported] };
}
