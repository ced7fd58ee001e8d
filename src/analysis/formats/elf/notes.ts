import type { ElfReader, ElfSection, ElfSegment } from './layout.ts';

/**
 * Notes (System V ABI): u32 length of the name, u32 length of the content, u32 type, then name and
 * content, each padded to four bytes.
 */
export interface ElfNotes {
  /** The linker's hash of the content (`GNU`, type 3), in hexadecimal. */
  readonly buildId: string | undefined;
  /** The build id of a program written in Go (`Go`, type 4). */
  readonly goBuildId: string | undefined;
  /** The compilers named in the section `.comment`. */
  readonly compilers: readonly string[];
}

const SEGMENT_NOTE = 4;
const SECTION_NOTE = 7;
const MAX_RANGES = 32;
const MAX_NOTES = 64;
const MAX_NAME = 32;
const MAX_CONTENT = 256;
const MAX_COMMENT = 4_096;
const MAX_COMPILERS = 8;

export function readNotes(
  reader: ElfReader,
  parts: { readonly segments: readonly ElfSegment[]; readonly sections: readonly ElfSection[] },
): ElfNotes {
  const ranges = [
    ...parts.segments
      .filter(({ type }) => type === SEGMENT_NOTE)
      .map(({ offset, fileSize }) => ({ offset, size: fileSize })),
    ...parts.sections.filter(({ type }) => type === SECTION_NOTE),
  ].slice(0, MAX_RANGES);
  const notes = ranges.flatMap((range) => [...notesIn(reader, range)]);
  const find = (name: string, type: number) =>
    notes.find((note) => note.name === name && note.type === type)?.content;
  return {
    buildId: find('GNU', 3)?.toString('hex'),
    goBuildId: find('Go', 4)?.toString('latin1'),
    compilers: readComment(reader, parts.sections),
  };
}

interface Note {
  readonly name: string;
  readonly type: number;
  readonly content: Buffer;
}

function* notesIn(
  reader: ElfReader,
  { offset, size }: { readonly offset: number; readonly size: number },
): Generator<Note> {
  let at = offset;
  for (let count = 0; count < MAX_NOTES && at + 12 <= offset + size; count += 1) {
    const nameSize = reader.word(at);
    const contentSize = reader.word(at + 4);
    const type = reader.word(at + 8);
    if (nameSize === undefined || contentSize === undefined || type === undefined) return;
    const name = reader.text(at + 12, Math.min(nameSize, MAX_NAME)) ?? '';
    const contentAt = at + 12 + padded(nameSize);
    yield { name, type, content: reader.upTo(contentAt, Math.min(contentSize, MAX_CONTENT)) };
    at = contentAt + padded(contentSize);
  }
}

function readComment(reader: ElfReader, sections: readonly ElfSection[]): string[] {
  const section = sections.find(({ name }) => name === '.comment');
  if (section === undefined) return [];
  const text = reader.upTo(section.offset, Math.min(section.size, MAX_COMMENT)).toString('latin1');
  return [...new Set(text.split('\0').filter((part) => part !== ''))].slice(0, MAX_COMPILERS);
}

function padded(size: number): number {
  return Math.ceil(size / 4) * 4;
}
