import type { Facts } from '../../../domain/samples/analysis.ts';
import { printableText } from '../../printable-text.ts';
import { defineFormat, type Findings, type TagMeaning } from '../format.ts';
import { type ElfFile, parseElf } from './file.ts';

const tags = {
  ELF32: [1, 'A 32-bit ELF file, as on Linux'],
  ELF64: [1, 'A 64-bit ELF file, as on Linux'],
  ELF_X86: [1, 'For 32-bit x86'],
  ELF_X86_64: [1, 'For 64-bit x86'],
  ELF_ARM: [1, 'For 32-bit ARM'],
  ELF_AARCH64: [1, 'For 64-bit ARM'],
  ELF_MIPS: [1, 'For MIPS'],
  ELF_PPC: [1, 'For PowerPC'],
  ELF_SPARC: [1, 'For SPARC'],
  ELF_SUPERH: [1, 'For SuperH'],
  ELF_M68K: [1, 'For Motorola 68000'],
  ELF_ARC: [1, 'For ARC'],
  ELF_RISCV: [1, 'For RISC-V'],
  ELF_S390: [1, 'For IBM Z'],
  ELF_LOONGARCH: [1, 'For LoongArch'],
  ELF_OTHER_MACHINE: [1, 'For a rare processor'],
  SHARED_OBJECT: [1, 'A library'],
  ELF_OBJECT: [1, 'An object file that is not linked yet'],
  ELF_CORE: [1, 'The memory dump of a crashed program'],
  STATIC: [1, 'Statically linked: needs no library'],
  STRIPPED: [1, 'Has only the symbols that the loader needs'],
  GO_BINARY: [1, 'Written in Go'],
  EXECUTABLE_STACK: [2, 'Requests an executable stack'],
  NO_SECTIONS: [2, 'Has no section headers, which linkers write and packers omit'],
  OVERLAY: [2, 'Has data appended to the program'],
  PACKED_UPX: [3, 'Packed with UPX'],
  RWX_SEGMENT: [3, 'Has a segment that is both writable and executable'],
  MALFORMED_ELF: [3, 'Headers contradict each other or the file'],
  UPX_DAMAGED: [5, 'Packed with UPX and then modified so that UPX refuses to unpack it'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

type Tag = keyof typeof tags;

/** By number (System V ABI and its registry). */
const MACHINES: ReadonlyMap<number, readonly [tag: Tag, name: string]> = new Map([
  [2, ['ELF_SPARC', 'SPARC']],
  [3, ['ELF_X86', 'x86']],
  [4, ['ELF_M68K', 'm68k']],
  [8, ['ELF_MIPS', 'MIPS']],
  [10, ['ELF_MIPS', 'MIPS']],
  [18, ['ELF_SPARC', 'SPARC32+']],
  [20, ['ELF_PPC', 'PowerPC']],
  [21, ['ELF_PPC', 'PowerPC 64']],
  [22, ['ELF_S390', 'S/390']],
  [40, ['ELF_ARM', 'ARM']],
  [42, ['ELF_SUPERH', 'SuperH']],
  [43, ['ELF_SPARC', 'SPARC V9']],
  [45, ['ELF_ARC', 'ARC']],
  [62, ['ELF_X86_64', 'x86-64']],
  [93, ['ELF_ARC', 'ARCompact']],
  [183, ['ELF_AARCH64', 'AArch64']],
  [195, ['ELF_ARC', 'ARCv2']],
  [243, ['ELF_RISCV', 'RISC-V']],
  [258, ['ELF_LOONGARCH', 'LoongArch']],
]);

const TYPES: Readonly<Record<number, string>> = {
  0: 'none',
  1: 'relocatable',
  2: 'executable',
  3: 'shared',
  4: 'core',
};
const TYPE = { object: 1, executable: 2, shared: 3, core: 4 } as const;
const MACHINE_MIPS = 8;
const SEGMENT = { load: 1, stack: 0x6474e551 } as const;
const WRITE_EXECUTE = 3;
const EXECUTE = 1;
const SHOWN = 200;
const SHOWN_TEXT = 256;

/** Programs and libraries of Linux, the BSDs and most embedded devices. */
export const elf = defineFormat({
  name: 'elf',
  tags,

  matches: ({ bytes }) => bytes.length >= 52 && bytes.readUInt32BE(0) === 0x7f454c46,

  inspect(subject, findings) {
    const file = subject.as(parseElf);
    if (file === undefined) {
      findings.tag('MALFORMED_ELF', { offset: 0, note: 'the header says nothing that is known' });
      return;
    }
    const { bits, machine } = file.header;
    findings.tag(bits === 64 ? 'ELF64' : 'ELF32', { offset: 0 });
    const [tag, name] = MACHINES.get(machine) ?? ['ELF_OTHER_MACHINE', `machine ${machine}`];
    findings.tag(tag, { offset: 18, note: name });
    findings.facts(describe(file, name));
    inspectKind(file, findings);
    inspectShape(file, findings);
    for (const note of file.oddities) findings.tag('MALFORMED_ELF', { note: shown(note) });
    for (const note of file.truncated) findings.limit(note);
  },
});

function inspectKind(file: ElfFile, findings: Findings<Tag>): void {
  const { type } = file.header;
  if (type === TYPE.object) findings.tag('ELF_OBJECT');
  if (type === TYPE.core) findings.tag('ELF_CORE');
  if (isLibrary(file)) findings.tag('SHARED_OBJECT');
  else if (isProgram(file) && !needsLoader(file)) findings.tag('STATIC');
  if (file.isStripped && type !== TYPE.core) findings.tag('STRIPPED');
  if (file.notes.goBuildId !== undefined || hasSection(file, '.gopclntab')) {
    findings.tag('GO_BINARY', { note: shown(file.notes.goBuildId ?? '') });
  }
}

/**
 * Position-independent executables have the type of a library: a flag or a missing library name
 * identifies them.
 */
function isLibrary({ header, dynamic, interpreter }: ElfFile): boolean {
  if (header.type !== TYPE.shared || dynamic === undefined || dynamic.isProgram) return false;
  return dynamic.soname !== undefined || interpreter === undefined;
}

function isProgram({ header }: ElfFile): boolean {
  return header.type === TYPE.executable || header.type === TYPE.shared;
}

function needsLoader({ interpreter, dynamic }: ElfFile): boolean {
  return interpreter !== undefined || (dynamic?.needed.length ?? 0) > 0;
}

function hasSection({ sections }: ElfFile, wanted: string): boolean {
  return sections.some(({ name }) => name === wanted);
}

function inspectShape(file: ElfFile, findings: Findings<Tag>): void {
  if (file.sections.length === 0) findings.tag('NO_SECTIONS');
  const open = file.segments.find(
    ({ type, flags }) => type === SEGMENT.load && (flags & WRITE_EXECUTE) === WRITE_EXECUTE,
  );
  if (open !== undefined) findings.tag('RWX_SEGMENT', { offset: open.offset });
  const stack = file.segments.find(({ type }) => type === SEGMENT.stack);
  // Compilers for MIPS request one by default.
  const isUsual = file.header.machine === MACHINE_MIPS;
  if (((stack?.flags ?? 0) & EXECUTE) !== 0 && !isUsual) findings.tag('EXECUTABLE_STACK');
  if (file.overlay !== undefined) {
    findings.tag('OVERLAY', { offset: file.overlay.offset, note: `${file.overlay.size} bytes` });
  }
  if (file.upx === undefined) return;
  findings.tag('PACKED_UPX', { offset: file.upx.offset });
  if (file.upx.isDamaged) findings.tag('UPX_DAMAGED', { offset: file.upx.offset });
}

function describe(file: ElfFile, machine: string): Facts {
  const { header, dynamic, symbols, notes } = file;
  const optional = {
    interpreter: file.interpreter,
    soname: dynamic?.soname,
    rpath: dynamic?.rpath,
    runpath: dynamic?.runpath,
    buildId: notes.buildId,
  };
  return {
    bits: header.bits,
    byteOrder: header.bigEndian ? 'big' : 'little',
    type: TYPES[header.type] ?? `type ${header.type}`,
    machine,
    entry: `0x${header.entry.toString(16)}`,
    ...Object.fromEntries(
      Object.entries(optional).flatMap(([key, text]) =>
        text === undefined ? [] : [[key, shown(text)]],
      ),
    ),
    needed: shownList(dynamic?.needed ?? []),
    compilers: shownList(notes.compilers),
    imported: shownList(symbols.imported),
    exported: shownList(symbols.exported),
    segments: file.segments.length,
    sections: file.sections.slice(0, SHOWN).map(({ name, offset, size, entropy }) => ({
      name: shown(name),
      offset,
      sizeBytes: size,
      entropy: entropy === undefined ? null : Math.round(entropy * 1000) / 1000,
    })),
  };
}

function shownList(texts: readonly string[]): string[] {
  return texts.slice(0, SHOWN).map(shown);
}

function shown(text: string): string {
  return printableText(text, SHOWN_TEXT);
}
