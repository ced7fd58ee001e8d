import type { ElfReader, ElfSection, ElfSegment } from './layout.ts';

/**
 * The dynamic section of an ELF file and its symbols (System V ABI, "Dynamic Linking").
 *
 * | dynamic entry | 32 | 64 |
 * |---|---|---|
 * | tag, value | 0, 4 | 0, 8 |
 *
 * | symbol | 32 | 64 |
 * |---|---|---|
 * | name, value, size, info, section | 0, 4, 8, 12, 14 | 0, 8, 16, 4, 6 |
 */
export interface ElfDynamic {
  readonly needed: readonly string[];
  readonly soname: string | undefined;
  readonly rpath: string | undefined;
  readonly runpath: string | undefined;
  /** `DF_1_PIE`: a position-independent executable, which has the type of a library. */
  readonly isProgram: boolean;
}

export interface ElfSymbols {
  readonly imported: readonly string[];
  readonly exported: readonly string[];
  readonly truncated: readonly string[];
}

export interface ElfParts {
  readonly sections: readonly ElfSection[];
  readonly segments: readonly ElfSegment[];
}

const MAX_ENTRIES = 4_096;
const MAX_SYMBOLS = 60_000;
const MAX_TEXT = 512;
const TAG = {
  end: 0,
  needed: 1,
  hash: 4,
  strings: 5,
  symbols: 6,
  soname: 14,
  rpath: 15,
  runpath: 29,
  flags1: 0x6ffffffb,
} as const;
const FLAG_PIE = 0x08000000;
const SEGMENT = { load: 1, dynamic: 2 } as const;
const SECTION = { symbols: 2, dynamic: 6, dynamicSymbols: 11 } as const;

export function readDynamic(reader: ElfReader, parts: ElfParts): ElfDynamic | undefined {
  const entries = readEntries(reader, parts);
  if (entries.length === 0) return undefined;
  const strings = offsetOfAddress(parts.segments, entryValue(entries, TAG.strings)) ?? Number.NaN;
  const textOf = (tag: number) => {
    const value = entryValue(entries, tag);
    return value === undefined ? undefined : reader.text(strings + value, MAX_TEXT);
  };
  return {
    needed: entries
      .filter((entry) => entry.tag === TAG.needed)
      .map(({ value }) => reader.text(strings + value, MAX_TEXT) ?? ''),
    soname: textOf(TAG.soname),
    rpath: textOf(TAG.rpath),
    runpath: textOf(TAG.runpath),
    isProgram: ((entryValue(entries, TAG.flags1) ?? 0) & FLAG_PIE) !== 0,
  };
}

interface Entry {
  readonly tag: number;
  readonly value: number;
}

/** From the segment, which the loader uses; from the section in files that are not loaded. */
function readEntries(reader: ElfReader, { segments, sections }: ElfParts): Entry[] {
  const segment = segments.find(({ type }) => type === SEGMENT.dynamic);
  const section = sections.find(({ type }) => type === SECTION.dynamic);
  const start = segment?.offset ?? section?.offset;
  const size = segment?.fileSize ?? section?.size ?? 0;
  if (start === undefined) return [];
  const width = reader.at(8, 16);
  const entries: Entry[] = [];
  for (let at = start; at + width <= start + size && entries.length < MAX_ENTRIES; at += width) {
    const tag = reader.size(at);
    const value = reader.size(at + width / 2);
    if (tag === undefined || value === undefined || tag === TAG.end) break;
    entries.push({ tag, value });
  }
  return entries;
}

function entryValue(entries: readonly Entry[], tag: number): number | undefined {
  return entries.find((entry) => entry.tag === tag)?.value;
}

function offsetOfAddress(
  segments: readonly ElfSegment[],
  address: number | undefined,
): number | undefined {
  if (address === undefined) return undefined;
  for (const { type, offset, address: start, fileSize } of segments) {
    const into = address - start;
    if (type === SEGMENT.load && into >= 0 && into < fileSize) return offset + into;
  }
  return undefined;
}

/** Reads the dynamic symbols, or the full table in static programs and object files. */
export function readSymbols(reader: ElfReader, parts: ElfParts): ElfSymbols {
  const table = findSymbolTable(reader, parts);
  const imported = new Set<string>();
  const exported = new Set<string>();
  if (table === undefined) return { imported: [], exported: [], truncated: [] };
  const width = reader.at(16, 24);
  const readCount = Math.min(table.count, MAX_SYMBOLS);
  for (let index = 1; index < readCount; index += 1) {
    const at = table.offset + index * width;
    if (!reader.has(at, width)) break;
    const isGlobal = (reader.u8(at + reader.at(12, 4)) ?? 0) >> 4 !== 0;
    const name = reader.text(table.strings + (reader.word(at) ?? 0), MAX_TEXT) ?? '';
    if (!isGlobal || name === '') continue;
    const isImported = reader.half(at + reader.at(14, 6)) === 0;
    (isImported ? imported : exported).add(name);
  }
  return {
    imported: [...imported],
    exported: [...exported],
    truncated: table.count > readCount ? [`${readCount} of ${table.count} symbols read`] : [],
  };
}

interface SymbolTable {
  readonly offset: number;
  readonly count: number;
  readonly strings: number;
}

function findSymbolTable(reader: ElfReader, parts: ElfParts): SymbolTable | undefined {
  const { sections } = parts;
  const section =
    sections.find(({ type }) => type === SECTION.dynamicSymbols) ??
    sections.find(({ type }) => type === SECTION.symbols);
  const strings = section === undefined ? undefined : sections[section.link]?.offset;
  if (section === undefined || strings === undefined) return symbolsOfLoader(reader, parts);
  const count = Math.floor(section.size / reader.at(16, 24));
  return { offset: section.offset, count, strings };
}

/**
 * Without section headers, dynamic entries lead to the symbols. Only the hash table states their
 * number (its second word); without one, the symbols are assumed to end where the strings begin, as
 * linkers place them.
 */
function symbolsOfLoader(reader: ElfReader, parts: ElfParts): SymbolTable | undefined {
  const entries = readEntries(reader, parts);
  const offsetOf = (tag: number) => offsetOfAddress(parts.segments, entryValue(entries, tag));
  const offset = offsetOf(TAG.symbols);
  const strings = offsetOf(TAG.strings);
  if (offset === undefined || strings === undefined) return undefined;
  const hash = offsetOf(TAG.hash);
  const counted = hash === undefined ? undefined : reader.word(hash + 4);
  const maxCount = Math.max(0, Math.floor((strings - offset) / reader.at(16, 24)));
  return { offset, strings, count: counted ?? maxCount };
}

export function hasFullSymbols({ sections }: ElfParts): boolean {
  return sections.some(({ type }) => type === SECTION.symbols);
}
