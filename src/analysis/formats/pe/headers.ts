import { Reader } from '../../reader.ts';

/**
 * The headers of a Portable Executable.
 *
 *   0x00        "MZ"
 *   0x3c  u32   e_lfanew: offset of the NT headers
 *   +0          "PE\0\0"
 *   +4          file header: machine u16, sections u16, timestamp u32, symbol table u32,
 *               symbols u32, size of the optional header u16, characteristics u16
 *   +24         optional header: magic u16 (0x10b PE32, 0x20b PE32+), ..., 8-byte data
 *               directories at its end
 *   +24+size    section headers of 40 bytes
 *
 * Reference: "PE Format", learn.microsoft.com/windows/win32/debug/pe-format.
 */
export interface PeHeaders {
  readonly ntOffset: number;
  readonly optionalOffset: number;
  readonly is64: boolean;
  readonly machine: number;
  /** Seconds since 1970 according to the linker; a hash in reproducible builds. */
  readonly timestamp: number;
  readonly characteristics: number;
  readonly dllCharacteristics: number;
  readonly subsystem: number;
  readonly linkerVersion: string;
  readonly entryPoint: number;
  readonly imageBase: number;
  readonly sectionAlignment: number;
  readonly fileAlignment: number;
  readonly sizeOfImage: number;
  readonly sizeOfHeaders: number;
  readonly checksum: number;
  /** The end of the COFF symbols, or 0; compilers write them after the last section. */
  readonly symbolsEnd: number;
  readonly declaredSections: number;
  readonly sectionTableOffset: number;
  readonly directories: readonly PeDirectory[];
}

/** A data directory. The address is relative to the image; for certificates it is a file offset. */
export interface PeDirectory {
  readonly rva: number;
  readonly size: number;
}

export const DIRECTORY = {
  export: 0,
  import: 1,
  resource: 2,
  certificate: 4,
  debug: 6,
  tls: 9,
  delayImport: 13,
  com: 14,
} as const;

const PE_MAGIC = 0x0000_4550;
const PE32 = 0x10b;
const PE32_PLUS = 0x20b;
const MAX_DIRECTORIES = 16;
const SYMBOL_BYTES = 18;

export function isMz(bytes: Buffer): boolean {
  return bytes.length >= 2 && bytes[0] === 0x4d && bytes[1] === 0x5a;
}

export function readHeaders(bytes: Buffer): PeHeaders | undefined {
  const reader = new Reader(bytes);
  const nt = isMz(bytes) ? reader.u32(0x3c) : undefined;
  if (nt === undefined || reader.u32(nt) !== PE_MAGIC) return undefined;
  const optional = nt + 24;
  const magic = reader.u16(optional);
  if (magic !== PE32 && magic !== PE32_PLUS) return undefined;
  return readKnown(reader, nt, magic === PE32_PLUS);
}

function readKnown(reader: Reader, ntOffset: number, is64: boolean): PeHeaders {
  const optional = ntOffset + 24;
  const u16 = (at: number) => reader.u16(at) ?? 0;
  const u32 = (at: number) => reader.u32(at) ?? 0;
  return {
    ntOffset,
    optionalOffset: optional,
    is64,
    machine: u16(ntOffset + 4),
    declaredSections: u16(ntOffset + 6),
    timestamp: u32(ntOffset + 8),
    symbolsEnd: symbolsEnd(reader, u32(ntOffset + 12), u32(ntOffset + 16)),
    characteristics: u16(ntOffset + 22),
    sectionTableOffset: optional + u16(ntOffset + 20),
    linkerVersion: `${reader.u8(optional + 2) ?? 0}.${reader.u8(optional + 3) ?? 0}`,
    entryPoint: u32(optional + 16),
    imageBase: is64 ? (reader.u64(optional + 24) ?? 0) : u32(optional + 28),
    sectionAlignment: u32(optional + 32),
    fileAlignment: u32(optional + 36),
    sizeOfImage: u32(optional + 56),
    sizeOfHeaders: u32(optional + 60),
    checksum: u32(optional + 64),
    subsystem: u16(optional + 68),
    dllCharacteristics: u16(optional + 70),
    directories: readDirectories(reader, optional, is64),
  };
}

/** The string table follows the symbols and begins with its own length. */
function symbolsEnd(reader: Reader, offset: number, count: number): number {
  if (offset === 0 || count === 0) return 0;
  const strings = offset + count * SYMBOL_BYTES;
  const end = strings + (reader.u32(strings) ?? 0);
  return end <= reader.length ? end : 0;
}

/** The offset of the directories in the optional header. */
export function directoriesAt(is64: boolean): number {
  return is64 ? 112 : 96;
}

function readDirectories(reader: Reader, optional: number, is64: boolean): PeDirectory[] {
  const start = optional + directoriesAt(is64);
  const count = Math.min(reader.u32(start - 4) ?? 0, MAX_DIRECTORIES);
  return Array.from({ length: count }, (_, index) => ({
    rva: reader.u32(start + index * 8) ?? 0,
    size: reader.u32(start + index * 8 + 4) ?? 0,
  }));
}
