import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Files of different folders are not joined. The first take longest, because they wait. */
const FOLDERS = [
  'test/e2e/',
  'test/cli/',
  'test/storage/',
  'test/http/',
  'test/analysis/',
  'test/exports/',
  'test/queue/',
  'test/outgoing/',
  'src/',
  'web/src/',
];

/** Enough to save most starts; few enough to keep all processors busy until the end. */
const FILES_PER_PROGRAM = 12;

/** They take longest, so they start first: at the end they would run alone. */
const LONGEST = [
  'test/web/essentials.test.ts',
  'test/storage/postgres.test.ts',
  'test/cli/demo.test.ts',
  'test/http/protocol/longest-lists.test.ts',
  'test/e2e/service.test.ts',
];

/** A hook outside of `describe` would run for the tests of other files too. */
const HOOK_OF_FILE = /^(?:await )?(?:before|beforeEach|afterEach)\(/m;

/** The comment of a file that measures its process or changes it. */
const OWN_PROCESS = /^\/\/ Runs in its own process: /m;

const RECORDER = pathToFileURL(join(import.meta.dirname, 'recorded-times.ts'));

/**
 * Writes programs that import the test files into the folder, and returns them. The test runner
 * starts a process for each program it is given, in which loading the modules takes longer than
 * most files of tests do, so a program imports several files where it can.
 */
export function joinSmallFiles(files: readonly string[], folder: string): readonly string[] {
  const longest = files.filter((file) => LONGEST.includes(file));
  const others = files.filter((file) => !LONGEST.includes(file));
  const joinable = new Set(others.filter(isJoinable));
  const groups = FOLDERS.flatMap((start) =>
    chunksOf([...joinable].filter((file) => file.startsWith(start))),
  );
  const alone = [...longest, ...others.filter((file) => !joinable.has(file))];
  const programs = [...alone.map((file) => [file]), ...groups];
  return programs.map((group, index) => {
    // The runner sorts them by path.
    const order = String(index).padStart(3, '0');
    const name = (group[0] ?? '').replaceAll('/', '-').replace(/\.[a-z-]*test\.ts$/, '');
    const program = join(folder, `${order}-${name}.mjs`);
    writeFileSync(program, programOf(group));
    return program;
  });
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
import '${RECORDER}';
const loaded = Promise.withResolvers();
before(() => loaded.promise);
try {
${imports.join('')}} finally {
  loaded.resolve();
}
`;
}

function isJoinable(file: string): boolean {
  if (!FOLDERS.some((start) => file.startsWith(start))) return false;
  const text = readFileSync(file, 'utf8');
  return !HOOK_OF_FILE.test(text) && !OWN_PROCESS.test(text);
}

function chunksOf(files: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(files.length / FILES_PER_PROGRAM);
  return Array.from({ length: count }, (_, index) =>
    files.slice(index * FILES_PER_PROGRAM, (index + 1) * FILES_PER_PROGRAM),
  );
}
