import { Reader } from '../../reader.ts';

/**
 * The part of the PE format that .NET needs: sections and the CLI header.
 *
 * | offset | content |
 * |---|---|
 * | 0x3c | u32 offset of `PE\0\0` |
 * | +4 | COFF header: u16 section count at 2, u16 optional header size at 16, 20 bytes |
 * | +24 | optional header: u16 magic (0x10b, 0x20b), data directories of 8 bytes at 96 or 112 |
 * | then | sections, 40 bytes: u32 virtual size at 8, RVA at 12, raw size at 16, raw offset at 20 |
 *
 * Data directory 14 is the CLI header (ECMA-335, II.25.3.3):
 *
 * | offset | content |
 * |---|---|
 * | 0 | u32 size, u16 major and u16 minor version of the runtime |
 * | 8 | metadata: u32 address, u32 size |
 * | 16 | u32 flags, u32 token of the entry point |
 * | 24 | resources: u32 address, u32 size |
 * | 32 | strong name signature: u32 address, u32 size |
 *
 * Reference: Microsoft's "PE Format".
 */
export interface DotnetImage {
  readonly reader: Reader;
  readonly sections: readonly ImageSection[];
  readonly cli: CliHeader;
}

export interface ImageSection {
  readonly address: number;
  readonly size: number;
  readonly offset: number;
}

export interface CliHeader {
  readonly offset: number;
  readonly runtime: string;
  readonly flags: number;
  readonly entryPoint: number;
  readonly metadata: DataDirectory;
  readonly resources: DataDirectory;
  readonly strongName: DataDirectory;
}

/** A range of the image. The address is relative to its base (RVA). */
export interface DataDirectory {
  readonly address: number;
  readonly size: number;
}

/** The limit of the Windows loader. */
const MAX_SECTIONS = 96;
const CLI_DIRECTORY = 14;
const CLI_HEADER_SIZE = 72;
const DIRECTORIES_AT: Readonly<Record<number, number>> = { 267: 96, 523: 112 };

export function readImage(bytes: Buffer): DotnetImage | undefined {
  const reader = new Reader(bytes);
  if (reader.u16(0) !== 0x5a4d) return undefined;
  const start = reader.u32(0x3c);
  if (start === undefined || reader.u32(start) !== 0x4550) return undefined;
  const optional = start + 24;
  const directories = DIRECTORIES_AT[reader.u16(optional) ?? 0];
  if (directories === undefined) return undefined;
  const table = optional + (reader.u16(start + 20) ?? 0);
  const sections = readSections(reader, table, reader.u16(start + 6) ?? 0);
  // The directory count is ignored, as the runtime does: understating it is a known trick.
  const address = reader.u32(optional + directories + CLI_DIRECTORY * 8) ?? 0;
  const cli = readCliHeader(reader, offsetIn(sections, address));
  return cli === undefined ? undefined : { reader, sections, cli };
}

/** File offset of an RVA. */
export function offsetOf(image: DotnetImage, address: number): number | undefined {
  return offsetIn(image.sections, address);
}

function offsetIn(sections: readonly ImageSection[], address: number): number | undefined {
  if (address === 0) return undefined;
  for (const section of sections) {
    const into = address - section.address;
    if (into >= 0 && into < section.size) return section.offset + into;
  }
  return undefined;
}

function readSections(reader: Reader, table: number, count: number): ImageSection[] {
  const sections: ImageSection[] = [];
  for (let index = 0; index < Math.min(count, MAX_SECTIONS); index += 1) {
    const at = table + index * 40;
    const size = reader.u32(at + 16);
    const offset = reader.u32(at + 20);
    if (size === undefined || offset === undefined) break;
    sections.push({ address: reader.u32(at + 12) ?? 0, size, offset });
  }
  return sections;
}

function readCliHeader(reader: Reader, offset: number | undefined): CliHeader | undefined {
  if (offset === undefined || !reader.has(offset, CLI_HEADER_SIZE)) return undefined;
  const word = (at: number) => reader.u32(offset + at) ?? 0;
  const directory = (at: number) => ({ address: word(at), size: word(at + 4) });
  return {
    offset,
    runtime: `${reader.u16(offset + 4)}.${reader.u16(offset + 6)}`,
    flags: word(16),
    entryPoint: word(20),
    metadata: directory(8),
    resources: directory(24),
    strongName: directory(32),
  };
}
