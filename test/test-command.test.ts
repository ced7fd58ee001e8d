import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';

const PROGRAM = join(import.meta.dirname, '../scripts/test.ts');
const PASSES = "import { it } from 'node:test'; it('passes', () => {});";
const FAILS = "import { it } from 'node:test'; it('fails', () => { throw new Error(); });";
/** The text by which the command recognises a file that needs PostgreSQL. */
const NEEDS_POSTGRES = "// from '../postgres.ts'\n";

/** A folder with these test files. */
function folderWith(test: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-test-'));
  test.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'test/http'), { recursive: true });
  for (const [name, source] of Object.entries(files))
    writeFileSync(join(folder, 'test/http', `${name}.test.ts`), source);
  return folder;
}

/** Returns the exit code of `npm test` in a folder that contains only this test file. */
function exitCodeOf(test: TestContext, source: string, ...words: readonly string[]) {
  return exitCodeIn(folderWith(test, { one: source }), ...words);
}

async function exitCodeIn(folder: string, ...words: readonly string[]) {
  return (await run(folder, ...words)).code;
}

async function run(folder: string, ...words: readonly string[]) {
  // The environment of this test run is not inherited: its server and coverage must not be used.
  const env = { PATH: process.env['PATH'] };
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    env,
  });
  const closed = once(child, 'close');
  const stdout = await text(child.stdout);
  const [code] = await closed;
  return { code, stdout };
}

describe('the command that runs the tests', () => {
  it('exits with 0 if all tests pass', async (test) => {
    assert.equal(await exitCodeOf(test, PASSES), 0);
  });

  it('exits with 1 if a test fails', async (test) => {
    assert.equal(await exitCodeOf(test, FAILS), 1);
  });

  it('exits with 1 if a test fails after it started PostgreSQL', async (test) => {
    assert.equal(await exitCodeOf(test, `${NEEDS_POSTGRES}${FAILS}`), 1);
    assert.equal(await exitCodeOf(test, `${NEEDS_POSTGRES}${PASSES}`), 0);
  });

  it('runs small files in one process, except those that need their own', async (test) => {
    const notes = (name: string) =>
      `import { appendFileSync } from 'node:fs';
       import { after, it } from 'node:test';
       let isClosed = false;
       after(() => { isClosed = true; });
       it('is open', () => { if (isClosed) throw new Error(); });
       it('notes', () => appendFileSync('pids', '${name} ' + process.pid + '\\n'));\n`;
    const folder = folderWith(test, {
      // Loading takes longer than the tests of the other file.
      one: `await new Promise((done) => setTimeout(done, 50));\n${notes('one')}`,
      other: notes('other'),
      hooked: `import { beforeEach } from 'node:test';\nbeforeEach(() => {});\n${notes('hooked')}`,
      alone: `// Runs in its own process: it says so.\n${notes('alone')}`,
    });
    assert.equal(await exitCodeIn(folder), 0);
    const lines = readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n');
    const pids = Object.fromEntries(lines.map((line) => line.split(' ')));
    assert.deepEqual(Object.keys(pids).sort(), ['alone', 'hooked', 'one', 'other']);
    assert.equal(pids['one'], pids['other']);
    assert.equal(new Set(Object.values(pids)).size, 3);
  });

  it('lists the files that took longest', async (test) => {
    const slow = `import { it } from 'node:test';
      it('waits', () => new Promise((done) => setTimeout(done, 100)));`;
    const { code, stdout } = await run(folderWith(test, { one: PASSES, other: slow }));
    const [, list = ''] = stdout.split('The tests of these files took longest:\n');
    const listed = [...list.matchAll(/^ *([\d.]+) s {2}(.+)$/gm)];
    const seconds = listed.map(([, took]) => Number(took));
    assert.equal(code, 0);
    assert.deepEqual(listed.map(([, , file]) => file).toSorted(), [
      'test/http/one.test.ts',
      'test/http/other.test.ts',
    ]);
    assert.deepEqual(
      seconds,
      seconds.toSorted((one, other) => other - one),
    );
    assert.ok((seconds[0] ?? 0) > 0);
  });

  it('exits with 1 if a test of a joined file fails, or the file cannot be loaded', async (test) => {
    assert.equal(await exitCodeIn(folderWith(test, { one: PASSES, other: FAILS })), 1);
    assert.equal(await exitCodeIn(folderWith(test, { one: PASSES, other: "throw 'x';" })), 1);
  });

  it('names the files of a process that ends in the middle of its tests', async (test) => {
    const ends = `import { it } from 'node:test';
      it('ends the process', () => process.exit(3));`;
    const { code, stdout } = await run(folderWith(test, { one: PASSES, other: ends }));
    assert.equal(code, 1);
    assert.match(stdout, /^test at test\/http\/one\.test\.ts, test\/http\/other\.test\.ts:/m);
    assert.doesNotMatch(stdout, /\.mjs/);
  });

  it('exits with 1 if no test file matches', async (test) => {
    assert.equal(await exitCodeOf(test, PASSES, 'nothing-of-that-name'), 1);
  });
});
