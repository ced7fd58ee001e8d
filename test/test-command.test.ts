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
/** By this it is known that a file needs a server. */
const NEEDS_POSTGRES = "// from '../postgres.ts'\n";

/** How `npm test` ends in a folder with that test alone. */
async function endOf(test: TestContext, source: string, ...words: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-test-'));
  test.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'test/http'), { recursive: true });
  writeFileSync(join(folder, 'test/http/one.test.ts'), source);
  // Not as a part of this very run, whose server and measures it must not use.
  const env = { PATH: process.env['PATH'] };
  const child = spawn(process.execPath, [PROGRAM, ...words], { cwd: folder, stdio: 'ignore', env });
  const [code] = await once(child, 'exit');
  return code;
}

describe('the command that runs the tests', () => {
  it('ends with 0 where all pass', async (test) => {
    assert.equal(await endOf(test, PASSES), 0);
  });

  it('ends with 1 where one fails', async (test) => {
    assert.equal(await endOf(test, FAILS), 1);
  });

  it('ends with 1 where one fails, also where it has started PostgreSQL', async (test) => {
    assert.equal(await endOf(test, `${NEEDS_POSTGRES}${FAILS}`), 1);
    assert.equal(await endOf(test, `${NEEDS_POSTGRES}${PASSES}`), 0);
  });

  it('ends with 1 where there is no such test', async (test) => {
    assert.equal(await endOf(test, PASSES, 'nothing-of-that-name'), 1);
  });
});
