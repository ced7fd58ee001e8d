import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';

const MODULE = new URL('keep-alive.ts', import.meta.url).href;

/** The end of a program that waits for what does not keep it running. */
function endOf(expression: string) {
  const program = `
    import { keepAlive } from '${MODULE}';
    const work = new Promise((resolve) => setTimeout(resolve, 50, 3).unref());
    process.exitCode = await ${expression};`;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program]);
  return status;
}

describe('a process that is kept alive', () => {
  it('ends when its work is done', () => {
    assert.equal(endOf('keepAlive(work)'), 3);
    assert.equal(endOf('work'), 13);
  });
});
