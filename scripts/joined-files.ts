import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The folders whose test files mostly wait for nothing and start no process. */
const JOINED = ['src/', 'web/src/', 'test/http/'];

/** Enough to save most starts; few enough to keep all processors busy until the end. */
const FILES_PER_PROGRAM = 12;

/** They take longest, so they start first: at the end they would run alone. */
const LONGEST = [
  'test/web/essentials.test.ts',
  'test/storage/postgres.test.ts',
  'test/cli/demo.test.ts',
];

/** A hook outside of `describe` would run for the tests of other files too. */
const HOOK_OF_FILE = /^(?:await )?(?:before|beforeEach|afterEach)\(/m;

/** The comment of a file that measures its process or changes it. */
const OWN_PROCESS = /^\/\/ Runs in its own process: /m;

/**
 * Joins small test files to programs that import them. The test runner starts a process for each
 * file it is given, in which loading the modules takes longer than most files of tests do.
 */
export function joinSmallFiles(files: readonly string[]): {
  readonly programs: readonly string[];
  /** Removes the programs. */
  remove(): void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-joined-'));
  const joinable = new Set(files.filter(isJoinable));
  const longest = files.filter((file) => LONGEST.includes(file));
  const alone = files.filter((file) => !joinable.has(file) && !LONGEST.includes(file));
  const groups = JOINED.flatMap((start) =>
    chunksOf([...joinable].filter((file) => file.startsWith(start))),
  );
  const write = (group: readonly string[], prefix = '') => {
    const name = (group[0] ?? '').replaceAll('/', '-').replace(/\.test\.ts$/, '');
    const program = join(folder, `${prefix}${name}.mjs`);
    writeFileSync(program, programOf(group));
    return program;
  };
  const programs = groups.map((group) => (group.length === 1 ? (group[0] ?? '') : write(group)));
  return {
    // The runner sorts them by path.
    programs: [...longest.map((file) => write([file], '0-')), ...programs, ...alone],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * No test starts before all files are loaded. Else the hooks `after` of the process would run once
 * the tests of the first files have ended.
 */
function programOf(files: readonly string[]): string {
  const imports = files.map(
    (file) => `await import(${JSON.stringify(pathToFileURL(resolve(file)))});\n`,
  );
  return `import { before } from 'node:test';
const loaded = Promise.withResolvers();
before(() => loaded.promise);
try {
${imports.join('')}} finally {
  loaded.resolve();
}
`;
}

function isJoinable(file: string): boolean {
  if (!JOINED.some((start) => file.startsWith(start))) return false;
  const text = readFileSync(file, 'utf8');
  return !HOOK_OF_FILE.test(text) && !OWN_PROCESS.test(text);
}

function chunksOf(files: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(files.length / FILES_PER_PROGRAM);
  return Array.from({ length: count }, (_, index) =>
    files.slice(index * FILES_PER_PROGRAM, (index + 1) * FILES_PER_PROGRAM),
  );
}
