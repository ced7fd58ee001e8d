import { printableText } from '../../printable-text.ts';
import { defineFormat, type TagMeaning } from '../format.ts';
import { nestCounted } from '../nest.ts';
import { contentOf, isOwnScript, type PyEntry, parsePyArchive } from './archive.ts';

const tags = {
  PYINSTALLER: [1, 'A Python program packed with PyInstaller'],
  PYINSTALLER_ENCRYPTED: [3, 'The Python modules are encrypted'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

const SHOWN_NAMES = 100;
const MAX_NESTED = 32;
const MAX_NESTED_BYTES = 16 * 1024 * 1024;
/** Magic numbers of programs and archives that were added as data. */
const KNOWN_MAGICS = ['MZ', 'PK\x03\x04', '\x7fELF', '7z\xbc\xaf', 'Rar!'];
/** Python's own library, which every such program contains. */
const OWN_DATA = /(?:^|[\\/])base_library\.zip$/;

export const pyinstaller = defineFormat({
  name: 'pyinstaller',
  tags,

  matches: (subject) => subject.as(parsePyArchive) !== undefined,

  inspect(subject, findings) {
    const archive = subject.as(parsePyArchive);
    if (archive === undefined) return;
    const { offset, version, entries, isCut } = archive;
    const python = `${Math.floor(version / 100)}.${version % 100}`;
    findings.tag('PYINSTALLER', { offset, note: `Python ${python}` });
    if (isCut) findings.limit('not all entries were read');
    if (entries.some(({ name }) => name === 'pyimod00_crypto_key'))
      findings.tag('PYINSTALLER_ENCRYPTED', { offset });
    findings.facts({
      python,
      entryCount: entries.length,
      scripts: entries.filter(isScript).slice(0, SHOWN_NAMES).map(nameOf),
      entries: entries.slice(0, SHOWN_NAMES).map(nameOf),
    });
    let nested = 0;
    for (const entry of entries.filter(isNestable)) {
      if (nested >= MAX_NESTED || findings.budget.isOver()) break;
      const content = contentOf(entry, Math.min(MAX_NESTED_BYTES, findings.budget.bytesLeft));
      if (content === undefined || !(isScript(entry) || isRecognised(content))) continue;
      if (!nestCounted(findings, nameOf(entry), content)) break;
      nested += 1;
    }
  },
});

function isScript({ type, name }: PyEntry): boolean {
  return type === 's' && !isOwnScript(name);
}

function isNestable(entry: PyEntry): boolean {
  return isScript(entry) || (entry.type === 'x' && !OWN_DATA.test(entry.name));
}

function isRecognised(content: Buffer): boolean {
  const start = content.toString('latin1', 0, 8);
  return KNOWN_MAGICS.some((magic) => start.startsWith(magic));
}

function nameOf({ name }: PyEntry): string {
  return printableText(name, 255);
}
