import { entropyOf } from '../../hashing/entropy.ts';
import type { Parser } from '../../subject.ts';
import {
  type ElfDynamic,
  type ElfSymbols,
  hasFullSymbols,
  readDynamic,
  readSymbols,
} from './dynamic.ts';
import {
  type ElfHeader,
  ElfReader,
  type ElfSection,
  type ElfSegment,
  readHeader,
  readSections,
  readSegments,
  SECTION_WITHOUT_BYTES,
} from './layout.ts';
import { type ElfNotes, readNotes } from './notes.ts';
import { readUpx, type UpxTrace } from './upx.ts';

export interface ElfFile {
  readonly header: ElfHeader;
  readonly segments: readonly ElfSegment[];
  readonly sections: readonly (ElfSection & { readonly entropy: number | undefined })[];
  readonly interpreter: string | undefined;
  /** Absent in statically linked files. */
  readonly dynamic: ElfDynamic | undefined;
  readonly symbols: ElfSymbols;
  readonly isStripped: boolean;
  readonly notes: ElfNotes;
  readonly upx: UpxTrace | undefined;
  /** The bytes after everything that the headers describe. */
  readonly overlay: { readonly offset: number; readonly size: number } | undefined;
  readonly oddities: readonly string[];
  readonly truncated: readonly string[];
}

const SEGMENT_INTERPRETER = 3;
const MAX_PATH = 1_024;
const MAX_ODDITIES = 16;

export const parseElf: Parser<ElfFile> = (bytes) => {
  const header = readHeader(bytes);
  if (header === undefined) return undefined;
  const reader = new ElfReader(bytes, header);
  const segments = readSegments(reader, header);
  const sections = readSections(reader, header);
  const parts = { segments: segments.list, sections: sections.list };
  const symbols = readSymbols(reader, parts);
  const interpreter = parts.segments.find(({ type }) => type === SEGMENT_INTERPRETER);
  return {
    header,
    segments: parts.segments,
    sections: withEntropy(reader, parts.sections),
    interpreter: interpreter && reader.text(interpreter.offset, MAX_PATH),
    dynamic: readDynamic(reader, parts),
    symbols,
    isStripped: !hasFullSymbols(parts),
    notes: readNotes(reader, parts),
    upx: readUpx(reader, header, parts.sections.length === 0),
    overlay: findOverlay(reader, header, parts),
    oddities: [
      ...(header.isDisguised ? ['class or byte order of the first bytes is a lie'] : []),
      ...segments.oddities,
      ...sections.oddities,
      ...outside(reader, parts),
    ].slice(0, MAX_ODDITIES),
    truncated: [...segments.truncated, ...sections.truncated, ...symbols.truncated],
  };
};

interface Parts {
  readonly segments: readonly ElfSegment[];
  readonly sections: readonly ElfSection[];
}

/**
 * Limits the work: sections of a regular file do not overlap, so together they are no longer than
 * the file.
 */
function withEntropy(reader: ElfReader, sections: readonly ElfSection[]): ElfFile['sections'] {
  let remaining = reader.length;
  return sections.map((section) => {
    const size = hasBytes(section) ? section.size : 0;
    const bytes = size > 0 && size <= remaining ? reader.slice(section.offset, size) : undefined;
    remaining -= bytes?.length ?? 0;
    return { ...section, entropy: bytes && entropyOf(bytes) };
  });
}

function hasBytes(section: ElfSection): boolean {
  return section.type !== 0 && section.type !== SECTION_WITHOUT_BYTES;
}

function outside(reader: ElfReader, { segments, sections }: Parts): string[] {
  const isOut = (offset: number, size: number) => size > 0 && !reader.has(offset, size);
  return [
    ...segments
      .filter(({ offset, fileSize }) => isOut(offset, fileSize))
      .map(({ offset }) => `a segment at ${offset} reaches out of the file`),
    ...sections
      .filter((section) => hasBytes(section) && isOut(section.offset, section.size))
      .map(({ name }) => `section ${name} reaches out of the file`),
  ];
}

function findOverlay(reader: ElfReader, header: ElfHeader, parts: Parts): ElfFile['overlay'] {
  const tableEnd = ({ offset, entrySize, count }: ElfHeader['segments']) =>
    offset + entrySize * count;
  let end = Math.max(header.headerSize, tableEnd(header.segments), tableEnd(header.sections));
  for (const { offset, fileSize } of parts.segments) end = Math.max(end, offset + fileSize);
  for (const section of parts.sections) {
    if (hasBytes(section)) end = Math.max(end, section.offset + section.size);
  }
  // Without segments or sections, the headers do not define the end of the file.
  const isDescribed = parts.segments.length > 0 || parts.sections.length > 0;
  return isDescribed && end < reader.length
    ? { offset: end, size: reader.length - end }
    : undefined;
}
