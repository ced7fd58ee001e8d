import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const OLD =
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"22.18.0"}})';

/** The launcher of an installation without optional packages, on a Node of an old version. */
function runOnOldNode(test: TestContext, file: string) {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-launcher-'));
  test.after(() => rmSync(folder, { recursive: true }));
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`--import=${OLD}`, join(folder, 'bin', file), 'serve'],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

describe('the launcher on a Node that is too old', () => {
  for (const file of ['program.js', 'rapsheet.js']) {
    it(`says so in one line, started as bin/${file}`, (test) => {
      const { status, stdout, stderr } = runOnOldNode(test, file);
      assert.equal(status, 1);
      assert.equal(stdout, '');
      assert.match(stderr, /^rapsheet: Node 24\.12 or newer is needed; this is 22\.18\.0\. .+\n$/);
    });
  }
});
