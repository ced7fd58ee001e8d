import type { Facts } from '../../../domain/samples/analysis.ts';
import { printableText } from '../../printable-text.ts';
import { defineFormat, type Findings, type TagMeaning } from '../format.ts';
import { nestCounted } from '../nest.ts';
import { type MachProgram, type MachUniversal, parseMachO } from './file.ts';
import { machKind } from './layout.ts';

const tags = {
  MACHO: [1, 'A Mach-O file, as on macOS and iOS'],
  MACHO_UNIVERSAL: [1, 'Programs for several processors in one file'],
  MACHO_X86: [1, 'For 32-bit x86'],
  MACHO_X86_64: [1, 'For 64-bit x86'],
  MACHO_ARM: [1, 'For 32-bit ARM'],
  MACHO_ARM64: [1, 'For 64-bit ARM'],
  MACHO_PPC: [1, 'For PowerPC'],
  MACHO_DYLIB: [1, 'A library'],
  MACHO_BUNDLE: [1, 'A plug-in that programs load at run time'],
  MACHO_OBJECT: [1, 'An object file that is not linked yet'],
  MACHO_SIGNED: [1, 'Has a signature with a certificate, which is not verified'],
  MACHO_ADHOC_SIGNED: [2, 'Has an ad-hoc signature, without a certificate'],
  MACHO_UNSIGNED: [2, 'Has no signature'],
  GO_BINARY: [1, 'Written in Go'],
  PACKED_UPX: [3, 'Packed with UPX'],
  MACHO_ENCRYPTED: [3, 'Has an encrypted segment'],
  RWX_SEGMENT: [3, 'Has a segment that is both writable and executable'],
  MALFORMED_MACHO: [3, 'Headers contradict each other or the file'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

type Tag = keyof typeof tags;

const PROCESSORS: ReadonlyMap<number, readonly [name: string, tag: Tag]> = new Map([
  [7, ['x86', 'MACHO_X86']],
  [0x01000007, ['x86-64', 'MACHO_X86_64']],
  [12, ['ARM', 'MACHO_ARM']],
  [0x0100000c, ['ARM64', 'MACHO_ARM64']],
  [0x0200000c, ['ARM64 (32-bit pointers)', 'MACHO_ARM64']],
  [18, ['PowerPC', 'MACHO_PPC']],
  [0x01000012, ['PowerPC 64', 'MACHO_PPC']],
]);
const FILE_TYPES: Readonly<Record<number, readonly [name: string, tag?: Tag]>> = {
  1: ['object', 'MACHO_OBJECT'],
  2: ['executable'],
  4: ['core'],
  5: ['preloaded'],
  6: ['library', 'MACHO_DYLIB'],
  7: ['linker'],
  8: ['bundle', 'MACHO_BUNDLE'],
  9: ['library stub'],
  10: ['debug symbols'],
  11: ['kernel extension', 'MACHO_BUNDLE'],
};
/** Object files and debug symbols are not executed, so they are not signed. */
const RUN = new Set([2, 6, 8, 11]);
const WRITE_EXECUTE = 6;
const SHOWN = 200;
const SHOWN_TEXT = 256;
const MAX_ODDITIES = 8;

/** Programs and libraries of Apple's systems, for one processor or several. */
export const macho = defineFormat({
  name: 'macho',
  tags,

  matches: ({ bytes }) => ['thin', 'universal'].includes(machKind(bytes) ?? ''),

  inspect(subject, findings) {
    const file = subject.as(parseMachO);
    if (file === undefined) return;
    findings.tag('MACHO', { offset: 0 });
    for (const note of file.oddities.slice(0, MAX_ODDITIES)) {
      findings.tag('MALFORMED_MACHO', { note: shown(note) });
    }
    if (file.kind === 'universal') inspectUniversal(file, subject.bytes, findings);
    else inspectProgram(file, findings);
  },
});

function inspectUniversal(file: MachUniversal, bytes: Buffer, findings: Findings<Tag>): void {
  findings.tag('MACHO_UNIVERSAL', { offset: 0, note: `${file.slices.length} parts` });
  findings.facts({
    slices: file.slices.map(({ processor, offset, size }) => ({
      processor: processorName(processor),
      offset,
      sizeBytes: size,
    })),
  });
  for (const { processor, offset, size } of file.slices) {
    const slice = bytes.subarray(offset, offset + size);
    if (!nestCounted(findings, processorName(processor), slice)) return;
  }
}

function inspectProgram(file: MachProgram, findings: Findings<Tag>): void {
  const processor = PROCESSORS.get(file.processor);
  if (processor !== undefined) findings.tag(processor[1], { offset: 4 });
  const type = FILE_TYPES[file.fileType]?.[1];
  if (type !== undefined) findings.tag(type, { offset: 12 });
  inspectSegments(file, findings);
  inspectSignature(file, findings);
  if (file.isEncrypted) findings.tag('MACHO_ENCRYPTED');
  for (const note of file.truncated) findings.limit(note);
  findings.facts(describe(file));
}

function inspectSegments({ segments, fileType }: MachProgram, findings: Findings<Tag>): void {
  // An object file has one segment with all protections until it is linked.
  const open = segments.find(({ protection }) => (protection & WRITE_EXECUTE) === WRITE_EXECUTE);
  if (open !== undefined && RUN.has(fileType)) {
    findings.tag('RWX_SEGMENT', { offset: open.offset, note: shown(open.name) });
  }
  const names = new Set(segments.flatMap(({ name, sections }) => [name, ...sections]));
  if (names.has('upxTEXT') || names.has('__XHDR')) findings.tag('PACKED_UPX');
  if (names.has('__gopclntab')) findings.tag('GO_BINARY');
}

function inspectSignature({ signature, fileType }: MachProgram, findings: Findings<Tag>): void {
  if (signature === undefined) {
    if (RUN.has(fileType)) findings.tag('MACHO_UNSIGNED');
    return;
  }
  const note = shown([signature.identifier, signature.team].filter(Boolean).join(', '));
  findings.tag(signature.isAdHoc ? 'MACHO_ADHOC_SIGNED' : 'MACHO_SIGNED', {
    offset: signature.offset,
    note,
  });
}

function describe(file: MachProgram): Facts {
  const optional = {
    installName: file.installName,
    uuid: file.uuid,
    platform: file.platform,
    minimumVersion: file.minimumVersion,
    signatureIdentifier: file.signature?.identifier,
    signatureTeam: file.signature?.team,
    entitlements: file.signature?.entitlements,
  };
  return {
    bits: file.bits,
    byteOrder: file.bigEndian ? 'big' : 'little',
    processor: processorName(file.processor),
    type: FILE_TYPES[file.fileType]?.[0] ?? `type ${file.fileType}`,
    ...Object.fromEntries(
      Object.entries(optional).flatMap(([key, text]) =>
        text === undefined ? [] : [[key, printableText(text, 4096)]],
      ),
    ),
    ...(file.entry && { entry: `${file.entry.kind} 0x${file.entry.at.toString(16)}` }),
    libraries: shownList(file.libraries),
    searchPaths: shownList(file.searchPaths),
    imported: shownList(file.imported),
    exported: shownList(file.exported),
    segments: file.segments.slice(0, SHOWN).map(({ name, offset, size, sections }) => ({
      name: shown(name),
      offset,
      sizeBytes: size,
      sections: shownList(sections),
    })),
  };
}

function processorName(processor: number): string {
  return PROCESSORS.get(processor)?.[0] ?? `processor ${processor}`;
}

function shownList(texts: readonly string[]): string[] {
  return texts.slice(0, SHOWN).map(shown);
}

function shown(text: string): string {
  return printableText(text, SHOWN_TEXT);
}
