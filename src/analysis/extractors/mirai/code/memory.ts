import type { ElfFile } from '../../../formats/elf/file.ts';
import { ElfReader } from '../../../formats/elf/layout.ts';

/** A program as it is loaded: addresses instead of file offsets. */
export interface Memory {
  readonly machine: number;
  readonly bytes: Buffer;
  readonly bigEndian: boolean;
  /** Size of the ELF header and the program headers. */
  readonly headerBytes: number;
  readonly code: readonly CodeRange[];
  /** Address of the global offset table, if it is known. */
  readonly gotAddress: number | undefined;
  /** Value of the global pointer (MIPS). */
  readonly globalPointer: number | undefined;
  offsetOf(address: number): number | undefined;
  word(address: number): number | undefined;
}

/** Executable bytes of the file. */
export interface CodeRange {
  readonly address: number;
  readonly offset: number;
  readonly size: number;
}

/** A call with constants as second and third argument: the source and length of a copied text. */
export interface Copy {
  /** Address of the code. */
  readonly at: number;
  /** File offset of the text. */
  readonly offset: number;
  /** `undefined` if it is not a constant. */
  readonly length: number | undefined;
  /** The first argument, if it is a constant: the number of the entry. */
  readonly id: number | undefined;
  /** Number of the call in the code, to notice calls that were not understood. */
  readonly call: number;
}

/** A statically linked program has some hundred calls with a constant text. */
export const MAX_COPIES = 5000;

const LOADED = 1;
const EXECUTABLE = 1;
const MIPS_REGISTERS = 0x7000_0000;
const MIPS_GP_OFFSET = 20;
/** Statically linked bots have less than a megabyte of code. */
const MAX_CODE_BYTES = 2 * 1024 * 1024;
/** Every address is searched in all of them; linkers make two to five. */
const MAX_LOADED = 16;
const PLT_GOT = 3;
const DYNAMIC = 2;
const RELA = 7;
const RELA_SIZE = 8;
const RELA_BYTES = 12;
const POWERPC = 20;
const PPC_RELATIVE = 22;
const MAX_RELOCATION_BYTES = 1024 * 1024;
const MAX_DYNAMIC_ENTRIES = 256;
/** The global pointer of MIPS points this far behind the start of the table. */
const MIPS_GP_BIAS = 0x7ff0;

export function memoryOf(bytes: Buffer, elf: ElfFile): Memory {
  const { header, segments } = elf;
  const reader = new ElfReader(bytes, header);
  const loaded = segments.filter(({ type }) => type === LOADED).slice(0, MAX_LOADED);
  const offsetOf = (address: number): number | undefined => {
    const segment = loaded.find(
      (one) => address >= one.address && address < one.address + one.fileSize,
    );
    const offset = segment && address - segment.address + segment.offset;
    return offset !== undefined && offset < bytes.length ? offset : undefined;
  };
  const dynamic = dynamicOf(reader, elf);
  const relocated =
    header.machine === POWERPC ? relocatedWords(reader, dynamic, offsetOf) : new Map();
  const word = (address: number): number | undefined => {
    const offset = offsetOf(address);
    return relocated.get(address) ?? (offset === undefined ? undefined : reader.word(offset));
  };
  const gotAddress = gotAddressOf(dynamic, elf);
  return {
    machine: header.machine,
    bytes,
    bigEndian: header.bigEndian,
    headerBytes: header.segments.offset + header.segments.count * header.segments.entrySize,
    code: codeOf(bytes, loaded),
    gotAddress,
    globalPointer: globalPointerOf(reader, elf) ?? (gotAddress && gotAddress + MIPS_GP_BIAS),
    offsetOf,
    word,
  };
}

function codeOf(bytes: Buffer, loaded: ElfFile['segments']): CodeRange[] {
  let remaining = MAX_CODE_BYTES;
  return loaded
    .filter(({ flags, offset }) => (flags & EXECUTABLE) !== 0 && offset < bytes.length)
    .map(({ address, offset, fileSize }) => {
      const size = Math.min(fileSize, bytes.length - offset, remaining);
      remaining -= size;
      return { address, offset, size };
    });
}

/** From the dynamic section, or from the section table of a statically linked file. */
function gotAddressOf(
  dynamic: ReadonlyMap<number, number>,
  { sections }: ElfFile,
): number | undefined {
  const byName = (wanted: string) => sections.find(({ name }) => name === wanted)?.address;
  return dynamic.get(PLT_GOT) ?? byName('.got.plt') ?? byName('.got');
}

/** The entries of the dynamic section, by their tag. */
function dynamicOf(reader: ElfReader, { segments }: ElfFile): ReadonlyMap<number, number> {
  const entries = new Map<number, number>();
  const dynamic = segments.find(({ type }) => type === DYNAMIC);
  const entryBytes = reader.at(8, 16);
  for (let index = 0; dynamic !== undefined && index < MAX_DYNAMIC_ENTRIES; index += 1) {
    const at = dynamic.offset + index * entryBytes;
    const tag = reader.size(at) ?? 0;
    if (tag === 0) break;
    entries.set(tag, reader.size(at + entryBytes / 2) ?? 0);
  }
  return entries;
}

/**
 * The words that the loader of a PowerPC program writes, by address: they are addends of
 * relocations, and zero in the file.
 */
function relocatedWords(
  reader: ElfReader,
  dynamic: ReadonlyMap<number, number>,
  offsetOf: Memory['offsetOf'],
): ReadonlyMap<number, number> {
  const words = new Map<number, number>();
  const start = offsetOf(dynamic.get(RELA) ?? 0);
  const size = Math.min(dynamic.get(RELA_SIZE) ?? 0, MAX_RELOCATION_BYTES);
  if (start === undefined) return words;
  for (let at = start; at + RELA_BYTES <= start + size; at += RELA_BYTES) {
    const [address, info, addend] = [reader.word(at), reader.word(at + 4), reader.word(at + 8)];
    if (address === undefined || info === undefined || addend === undefined) break;
    if ((info & 0xff) === PPC_RELATIVE) words.set(address, addend);
  }
  return words;
}

function globalPointerOf(reader: ElfReader, { segments }: ElfFile): number | undefined {
  const registers = segments.find(({ type }) => type === MIPS_REGISTERS);
  return registers && (reader.word(registers.offset + MIPS_GP_OFFSET) || undefined);
}
