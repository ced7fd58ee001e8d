import type { Facts } from '../../../domain/samples/analysis.ts';
import { printableText } from '../../printable-text.ts';
import { defineFormat, type Findings } from '../format.ts';
import { nestCounted } from '../nest.ts';
import { isShortcut, parseShortcut, type Shortcut } from './file.ts';

const TAGS = {
  LNK: [1, 'A Windows shortcut'],
  LNK_COMMAND: [6, 'A shortcut that runs an interpreter or a system tool with arguments'],
  LNK_LONG_ARGUMENTS: [4, 'Arguments longer than Windows displays'],
  LNK_PADDED_ARGUMENTS: [6, 'Arguments padded with white space, which hides them'],
  LNK_REMOTE_TARGET: [5, 'A shortcut to a file on another machine'],
  LNK_OVERLAY: [4, 'Data after the end of the shortcut'],
} as const;

/** Windows programs that execute their arguments. */
const INTERPRETERS = new Set([
  'cmd',
  'powershell',
  'pwsh',
  'mshta',
  'rundll32',
  'regsvr32',
  'wscript',
  'cscript',
  'msiexec',
  'certutil',
  'bitsadmin',
  'forfiles',
  'conhost',
  'explorer',
  'wmic',
  'schtasks',
  'msbuild',
  'installutil',
  'pcalua',
  'ftp',
  'ssh',
  'scp',
  'curl',
  'python',
  'pythonw',
  'javaw',
  'hh',
  'odbcconf',
  'control',
  'wt',
]);
/** The properties dialog displays this many characters. */
const SHOWN_ARGUMENTS = 260;
const PADDING = /\s{64}/;
const MAX_OVERLAY_BYTES = 64 * 1024 * 1024;

export const lnk = defineFormat({
  name: 'lnk',
  tags: TAGS,

  matches(subject) {
    return isShortcut(subject.bytes);
  },

  inspect(subject, findings) {
    const shortcut = subject.as(parseShortcut);
    if (shortcut === undefined) return;
    findings.tag('LNK', { offset: 0 });
    findings.facts(describe(shortcut));
    inspectCommand(shortcut, findings);
    if (/^(?:\\\\|https?:|file:)/i.test(shortcut.target)) {
      findings.tag('LNK_REMOTE_TARGET', { note: shortcut.target });
    }
    inspectOverlay(subject.bytes, shortcut.end, findings);
  },
});

function inspectCommand(shortcut: Shortcut, findings: Findings<keyof typeof TAGS>): void {
  const { target, arguments: given, argumentsOffset: offset } = shortcut;
  if (given.length > SHOWN_ARGUMENTS) {
    findings.tag('LNK_LONG_ARGUMENTS', { offset, note: `${given.length} characters` });
  }
  if (PADDING.test(given)) findings.tag('LNK_PADDED_ARGUMENTS', { offset });
  const runner = runnerOf(shortcut);
  if (runner === undefined || given.trim() === '') return;
  findings.tag('LNK_COMMAND', { offset, note: `${runner} ${given.trim()}` });
  nestCounted(findings, 'command line', Buffer.from(`${target} ${given}`, 'utf8'));
}

function runnerOf({ target, relativePath, extras }: Shortcut): string | undefined {
  return [target, relativePath, extras.environmentTarget]
    .map((path) => path.slice(path.lastIndexOf('\\') + 1).toLowerCase())
    .find((name) => INTERPRETERS.has(name.replace(/\.exe$/, '')));
}

function inspectOverlay(bytes: Buffer, end: number, findings: Findings<keyof typeof TAGS>): void {
  const overlay = bytes.subarray(end, end + MAX_OVERLAY_BYTES);
  if (bytes.length - end > MAX_OVERLAY_BYTES)
    findings.limit('data behind the shortcut is too long');
  if (isZero(overlay)) return;
  findings.tag('LNK_OVERLAY', { offset: end, note: `${bytes.length - end} bytes` });
  nestCounted(findings, 'overlay', overlay);
}

/**
 * Compares the buffer with itself shifted by one byte: a memory comparison, where a loop would take
 * a second.
 */
function isZero(bytes: Buffer): boolean {
  return (bytes[0] ?? 0) === 0 && bytes.subarray(1).equals(bytes.subarray(0, -1));
}

function describe(shortcut: Shortcut): Facts {
  const texts = {
    target: shortcut.target,
    arguments: shortcut.arguments,
    name: shortcut.name,
    relativePath: shortcut.relativePath,
    workingFolder: shortcut.workingFolder,
    icon: shortcut.icon,
    environmentTarget: shortcut.extras.environmentTarget,
    machine: shortcut.extras.machine,
    macAddress: shortcut.extras.macAddress,
    volumeSerial: shortcut.volumeSerial,
    created: shortcut.created ?? '',
    accessed: shortcut.accessed ?? '',
    written: shortcut.written ?? '',
  };
  const shown = Object.entries(texts)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => [name, printableText(text, 2048)]);
  return {
    ...Object.fromEntries(shown),
    targetBytes: shortcut.targetBytes,
    showCommand: shortcut.showCommand,
  };
}
