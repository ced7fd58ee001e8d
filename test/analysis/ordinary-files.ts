import { closeSync, openSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { extractors } from '../../src/analysis/extractors/index.ts';
import { Subject } from '../../src/analysis/subject.ts';
import { recordFindings } from './findings.ts';

/** Benign programs, libraries and scripts of this machine and of our dependencies. */

/** Folders with Windows programs first. */
const FOLDERS = [
  '/usr/lib/mono',
  '/usr/x86_64-w64-mingw32',
  '/usr/i686-w64-mingw32',
  '/usr/lib/gcc',
  '/usr/bin',
  '/usr/sbin',
  '/usr/libexec',
  '/usr/lib',
  '/usr/share',
];
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const MODULE_FILE = /\.(?:node|exe|dll|wasm|js|cjs|mjs|sh|py|ps1|cmd|bat)$/;

/** Formats that packages are made of: programs and containers first, then the many scripts. */
const CONTAINER =
  /\.(?:exe|dll|pyd|so|sys|drv|ocx|cpl|com|node|wasm|jar|war|class|chm|hlp|msi|cab|docx?|xlsx?|pdf|rtf|zip|lnk|ps[md]?1|vbs|bat|cmd|hta)$/i;
const SCRIPT = /\.(?:[cm]?js|py|pyw|sh|pl|rb|php|html?)$/i;
/** Scripts of a package resemble each other. */
const MAX_SCRIPTS = 40;

const MAGICS = ['\x7fELF', 'MZ', '#!', '!<arch>\n'];
const HEAD_BYTES = 8;

/** Programs, libraries and scripts of the distribution, each once. */
export function* systemBinaries(mostBytes: number): Generator<string> {
  yield* ordinaryFiles(FOLDERS, mostBytes, hasMagic);
}

/** Executable files in node_modules. */
export function* moduleFiles(mostBytes: number): Generator<string> {
  yield* ordinaryFiles([MODULES], mostBytes, (path) => MODULE_FILE.test(path) || hasMagic(path));
}

/** Programs, containers and some scripts of an unpacked package. */
export function packageFiles(folder: string, mostBytes: number): readonly string[] {
  const files = [...ordinaryFiles([folder], mostBytes, () => true)];
  // A link may lead out of the package.
  const own = files.filter((path) => path.startsWith(realpathSync(folder)));
  const isProgram = (path: string) =>
    CONTAINER.test(path) || (!SCRIPT.test(path) && hasMagic(path));
  const scripts = own.filter((path) => SCRIPT.test(path));
  const step = Math.max(1, Math.ceil(scripts.length / MAX_SCRIPTS));
  return [...own.filter(isProgram), ...scripts.filter((_, index) => index % step === 0)];
}

function* ordinaryFiles(
  folders: readonly string[],
  mostBytes: number,
  isWanted: (path: string) => boolean,
): Generator<string> {
  const seen = new Set<string>();
  for (const folder of folders) {
    for (const file of walk(folder)) {
      const path = readable(file, mostBytes);
      if (path === undefined || seen.has(path)) continue;
      seen.add(path);
      if (isWanted(path)) yield path;
    }
  }
}

/** Walks the folders lazily. */
function* walk(folder: string): Generator<string> {
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else yield path;
  }
}

/** The resolved path, if it is a file of at most that size. */
function readable(path: string, mostBytes: number): string | undefined {
  return attempt(() => {
    const found = realpathSync(path);
    const { size } = statSync(found);
    return statSync(found).isFile() && size > 0 && size <= mostBytes ? found : undefined;
  });
}

function hasMagic(path: string): boolean {
  const head = attempt(() => {
    const bytes = Buffer.alloc(HEAD_BYTES);
    const file = openSync(path, 'r');
    readSync(file, bytes, 0, HEAD_BYTES, 0);
    closeSync(file);
    return bytes.toString('latin1');
  });
  return head !== undefined && MAGICS.some((magic) => head.startsWith(magic));
}

/** Ignores broken links and unreadable folders. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The families that extractors find in the bytes. */
export function familiesIn(bytes: Buffer): readonly string[] {
  const subject = new Subject(bytes, 'file');
  const { budget } = recordFindings();
  return extractors.flatMap((extractor) => {
    const found = extractor.matches(subject) ? extractor.extract(subject, budget) : undefined;
    return found === undefined ? [] : [extractor.family];
  });
}
