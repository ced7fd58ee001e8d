import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The folders whose files are joined, and how many to a program: enough to save most starts; few
 * enough to keep all processors busy until the end. Those of the command line also share the
 * process that runs the commands.
 */
const FILES_PER_PROGRAM: Readonly<Record<string, number>> = {
  'test/cli/': 5,
  'test/storage/': 6,
  'test/analysis/': 6,
  'test/exports/': 12,
  'test/queue/': 12,
  'test/outgoing/': 12,
  'test/http/': 12,
  'test/bench/': 12,
  'test/deploy/': 12,
  'test/sample-files/': 12,
  'test/scripts/': 12,
  'src/': 20,
  'web/src/': 12,
};

/** They take longest, so they start first: at the end they would run alone. */
const LONGEST = [
  'test/web/essentials.test.ts',
  'test/storage/postgres.test.ts',
  'test/cli/demo.test.ts',
  'test/http/protocol/longest-lists.test.ts',
  'test/e2e/server.test.ts',
];

/** A hook outside of `describe` would run for the tests of other files too. */
const HOOK_OF_FILE = /^(?:await )?(?:before|beforeEach|afterEach)\(/m;

/** The comment of a file that measures its process or changes it. */
const OWN_PROCESS = /^\/\/ Runs in its own process: /m;

/** A program that the test runner starts, and the test files that it imports. */
export interface TestProgram {
  readonly path: string;
  readonly files: readonly string[];
}

/**
 * Writes programs that import the test files into the folder, and returns them. The test runner
 * starts a process for each program it is given, in which loading the modules takes longer than
 * most files of tests do, so a program imports several files where it can.
 */
export function joinSmallFiles(files: readonly string[], folder: string): readonly TestProgram[] {
  const longest = files.filter((file) => LONGEST.includes(file));
  const others = files.filter((file) => !LONGEST.includes(file));
  const joinable = new Set(others.filter(isJoinable));
  const groups = Object.entries(FILES_PER_PROGRAM).flatMap(([start, size]) =>
    chunksOf(
      [...joinable].filter((file) => file.startsWith(start)),
      size,
    ),
  );
  const alone = [...longest, ...others.filter((file) => !joinable.has(file))];
  const programs = [...alone.map((file) => [file]), ...groups];
  return programs.map((group, index) => {
    // The runner sorts them by path.
    const path = join(folder, `${String(index).padStart(3, '0')}.mjs`);
    writeFileSync(path, programOf(group));
    return { path, files: group };
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
const loaded = Promise.withResolvers();
before(() => loaded.promise);
try {
${imports.join('')}} finally {
  loaded.resolve();
}
`;
}

function isJoinable(file: string): boolean {
  const isSmall = Object.keys(FILES_PER_PROGRAM).some((start) => file.startsWith(start));
  if (!isSmall || !file.endsWith('.test.ts')) return false;
  const text = readFileSync(file, 'utf8');
  return !HOOK_OF_FILE.test(text) && !OWN_PROCESS.test(text);
}

function chunksOf(files: readonly string[], size: number): readonly (readonly string[])[] {
  const count = Math.ceil(files.length / size);
  return Array.from({ length: count }, (_, index) => files.slice(index * size, (index + 1) * size));
}
