import type { Facts } from '../../../domain/samples/analysis.ts';
import { printableText } from '../../printable-text.ts';
import { defineFormat, type Findings } from '../format.ts';
import { nestCounted } from '../nest.ts';
import {
  type CompoundEntry,
  type CompoundFile,
  isCompoundFile,
  parseCompoundFile,
} from './file.ts';
import { inlineScriptEnding, readInstaller, whatRuns } from './installer.ts';
import { readMacroTraits } from './macro-traits.ts';
import { decodeInstallerName, isInstallerName } from './names.ts';
import { readOfficeTraits } from './office.ts';
import { packageName, parseOle10Native } from './package.ts';
import { parseSummaryInformation } from './properties.ts';
import { readVbaProjects, type VbaModule } from './vba.ts';

const TAGS = {
  OLE: [1, 'A compound file (OLE2), such as a binary Office document or an installer'],
  WORD_DOCUMENT: [1, 'A Word document'],
  EXCEL_WORKBOOK: [1, 'An Excel workbook'],
  POWERPOINT: [1, 'A PowerPoint presentation'],
  MSI: [1, 'A Windows Installer package or patch'],
  OUTLOOK_MESSAGE: [1, 'An e-mail message as Outlook saves it'],
  MSI_CUSTOM_ACTION: [3, 'The installer runs a program, a library or a script'],
  MACROS: [3, 'Has VBA macros'],
  MACRO_AUTOEXEC: [5, 'A macro runs automatically when the document is opened or closed'],
  MACRO_SHELL: [6, 'A macro starts programs, creates objects or downloads'],
  XLM_MACROS: [5, 'Has Excel 4 macro sheets'],
  OLE_PACKAGE: [5, 'The document has an embedded file'],
  ENCRYPTED_DOCUMENT: [2, 'The document is encrypted with a password'],
  EQUATION_EDITOR: [
    6,
    'Has an object of the old equation editor, whose vulnerabilities execute code',
  ],
} as const;

type Tag = keyof typeof TAGS;
type OleFindings = Findings<Tag>;

interface Kind {
  readonly name: string;
  readonly tag?: Tag;
  /** One of these streams is sufficient. */
  readonly streams: readonly string[];
}

/** The more specific kinds first: a message or an installer may contain streams of the others. */
const KINDS: readonly Kind[] = [
  { name: 'Windows Installer', tag: 'MSI', streams: ['!_StringPool'] },
  { name: 'Outlook message', tag: 'OUTLOOK_MESSAGE', streams: ['__properties_version1.0'] },
  { name: 'encrypted Office document', streams: ['EncryptedPackage'] },
  { name: 'Word', tag: 'WORD_DOCUMENT', streams: ['WordDocument'] },
  { name: 'Excel', tag: 'EXCEL_WORKBOOK', streams: ['Workbook', 'Book'] },
  { name: 'PowerPoint', tag: 'POWERPOINT', streams: ['PowerPoint Document'] },
  { name: 'Visio', streams: ['VisioDocument'] },
  { name: 'Publisher', streams: ['Quill/QuillSub/CONTENTS'] },
  { name: 'macro project', streams: ['VBA/dir'] },
  { name: 'thumbnails', streams: ['Catalog'] },
  { name: 'embedded object', streams: ['\x01Ole10Native', 'Equation Native', '\x01CompObj'] },
];

/** Installer packages, merge modules and patches. */
const INSTALLER_CLSIDS = new Set([
  '000c1084-0000-0000-c000-000000000046',
  '000c1082-0000-0000-c000-000000000046',
  '000c1086-0000-0000-c000-000000000046',
]);
const EQUATION_CLSID = '0002ce02-0000-0000-c000-000000000046';
const SHOWN_STREAMS = 200;
const SHOWN_ACTIONS = 50;

export const ole = defineFormat({
  name: 'ole',
  tags: TAGS,

  matches(subject) {
    return isCompoundFile(subject.bytes);
  },

  inspect(subject, findings) {
    findings.tag('OLE', { offset: 0 });
    const file = subject.as(parseCompoundFile);
    if (file === undefined) {
      findings.facts({ damaged: true });
      return;
    }
    const kind = kindOf(file);
    if (kind?.tag !== undefined) findings.tag(kind.tag);
    findings.facts(describe(file, kind?.name));
    if (kind?.tag === 'MSI') inspectInstaller(file, findings);
    inspectOffice(file, findings);
    inspectMacros(file, findings);
    inspectObjects(file, findings);
    inspectAttachments(file, findings);
    for (const note of file.truncated) findings.limit(note);
  },
});

function kindOf(file: CompoundFile): Kind | undefined {
  if (INSTALLER_CLSIDS.has(file.entries[0]?.clsid ?? '')) return KINDS[0];
  const paths = new Set(
    file.entries.filter(({ kind }) => kind === 'stream').map(({ path }) => readable(path)),
  );
  return KINDS.find(({ streams }) => streams.some((stream) => paths.has(stream)));
}

function readable(path: string): string {
  return isInstallerName(path) ? decodeInstallerName(path) : path;
}

function describe(file: CompoundFile, kind: string | undefined): Facts {
  const streams = file.entries.filter((entry) => entry.kind === 'stream');
  const summary = streams.find(({ path }) => path === '\x05SummaryInformation');
  const properties = summary === undefined ? {} : parseSummaryInformation(file.read(summary));
  return {
    kind: kind ?? 'unknown',
    clsid: file.entries[0]?.clsid ?? '',
    streamCount: streams.length,
    streams: streams
      .slice(0, SHOWN_STREAMS)
      .map(({ path, sizeBytes }) => ({ name: printableText(readable(path), 256), sizeBytes })),
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [name, printableText(value, 256)]),
    ),
  };
}

function inspectInstaller(file: CompoundFile, findings: OleFindings): void {
  const installer = readInstaller(file);
  for (const action of installer.actions) {
    const runs = whatRuns(action);
    if (runs === undefined) continue;
    findings.tag('MSI_CUSTOM_ACTION', { note: `${action.name}: ${runs}` });
    const ending = inlineScriptEnding(action);
    if (ending !== undefined) {
      nestCounted(findings, `${action.name}${ending}`, Buffer.from(action.target, 'utf8'));
    }
  }
  findings.facts({
    installer: Object.fromEntries(
      Object.entries(installer.properties).map(([name, value]) => [
        name,
        printableText(value, 256),
      ]),
    ),
    customActions: installer.actions.slice(0, SHOWN_ACTIONS).map((action) => ({
      name: printableText(action.name, 128),
      type: action.type,
      runs: whatRuns(action) ?? null,
      source: printableText(action.source, 256),
      target: printableText(action.target, 512),
    })),
  });
  for (const { name, entry } of installer.files) {
    if (!nestCounted(findings, name, file.read(entry))) break;
  }
  for (const note of installer.truncated) findings.limit(note);
}

function inspectOffice(file: CompoundFile, findings: OleFindings): void {
  const traits = readOfficeTraits(file);
  if (traits.encrypted) findings.tag('ENCRYPTED_DOCUMENT');
  if (traits.truncated) findings.limit('the workbook has too many records');
  if (traits.macroSheets > 0) {
    const hidden = traits.hiddenMacroSheet ? ', hidden' : '';
    findings.tag('XLM_MACROS', { note: `${traits.macroSheets} of them${hidden}` });
  }
}

function inspectMacros(file: CompoundFile, findings: OleFindings): void {
  const projects = readVbaProjects(file);
  const modules = projects.flatMap((project) => project.modules);
  if (modules.length > 0) {
    findings.tag('MACROS', { note: `${modules.length} modules` });
    findings.facts({ modules: modules.slice(0, 64).map(describeModule) });
  }
  for (const module of modules) inspectModule(module, findings);
  for (const note of projects.flatMap((project) => project.truncated)) findings.limit(note);
}

function describeModule({ name, source }: VbaModule): Facts {
  return { name: printableText(name, 128), sizeBytes: source.length };
}

function inspectModule({ name, source, offset }: VbaModule, findings: OleFindings): void {
  const { autoExec, shell } = readMacroTraits(source);
  if (autoExec !== undefined) {
    findings.tag('MACRO_AUTOEXEC', { offset, note: `${autoExec} in ${name}` });
  }
  if (shell !== undefined) {
    findings.tag('MACRO_SHELL', { offset, note: `${shell.trim()} in ${name}` });
  }
  nestCounted(findings, `${name}.bas`, source);
}

function inspectObjects(file: CompoundFile, findings: OleFindings): void {
  for (const entry of file.entries) {
    if (entry.clsid === EQUATION_CLSID || entry.name === 'Equation Native') {
      findings.tag('EQUATION_EDITOR', { offset: entry.offset, note: entry.path });
    }
    if (entry.kind === 'stream' && entry.name === '\x01Ole10Native') {
      inspectPackage(file, entry, findings);
    }
  }
}

function inspectPackage(file: CompoundFile, entry: CompoundEntry, findings: OleFindings): void {
  const stream = file.read(entry);
  const found = parseOle10Native(stream);
  if (found === undefined) {
    // Objects of other programs use this stream too, such as exploits of the equation editor.
    nestCounted(findings, entry.path, stream.subarray(4));
    return;
  }
  findings.tag('OLE_PACKAGE', { offset: entry.offset, note: found.sourcePath || found.label });
  nestCounted(findings, packageName(found), found.content);
}

/**
 * Attachments of a message: property 3701 is the content, 3707 and 3704 are its name. [MS-OXMSG]
 * 2.2.2.
 */
function inspectAttachments(file: CompoundFile, findings: OleFindings): void {
  const contents = file.entries.filter(({ path }) => path.endsWith('/__substg1.0_37010102'));
  if (contents.length === 0) return;
  const byPath = new Map(file.entries.map((entry) => [entry.path, entry]));
  for (const entry of contents) {
    const folder = entry.path.slice(0, entry.path.lastIndexOf('/'));
    const nameEntry =
      byPath.get(`${folder}/__substg1.0_3707001F`) ?? byPath.get(`${folder}/__substg1.0_3704001F`);
    const name = nameEntry && file.read(nameEntry).toString('utf16le', 0, 512);
    if (!nestCounted(findings, name || 'attachment', file.read(entry))) break;
  }
}
