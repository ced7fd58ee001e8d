import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';

const PROGRAM = join(import.meta.dirname, '../scripts/test.ts');
const PASSES = "import { it } from 'node:test'; it('passes', () => {});";
const FAILS = "import { it } from 'node:test'; it('fails', () => { throw new Error(); });";
/** The text by which the command recognises a file that needs PostgreSQL. */
const NEEDS_POSTGRES = "// from '../postgres.ts'\n";

/** Returns the exit code of `npm test` in a folder that contains only this test file. */
async function exitCodeOf(test: TestContext, source: string, ...words: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-test-'));
  test.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'test/http'), { recursive: true });
  writeFileSync(join(folder, 'test/http/one.test.ts'), source);
  // The environment of this test run is not inherited: its server and coverage must not be used.
  const env = { PATH: process.env['PATH'] };
  const child = spawn(process.execPath, [PROGRAM, ...words], { cwd: folder, stdio: 'ignore', env });
  const [code] = await once(child, 'exit');
  return code;
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

  it('exits with 1 if no test file matches', async (test) => {
    assert.equal(await exitCodeOf(test, PASSES, 'nothing-of-that-name'), 1);
  });
});
