import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ENTRY = fileURLToPath(new URL('../../../src/cli/rapsheet.ts', import.meta.url));
const FULL = '/dev/full';

describe('output that cannot be written', () => {
  it('is an error of one line', { skip: !existsSync(FULL) && `${FULL} is missing` }, async () => {
    const child = spawn(process.execPath, [ENTRY, 'help'], {
      stdio: ['ignore', openSync(FULL, 'w'), 'pipe'],
    });
    const closed = once(child, 'close');
    const { stderr } = child;
    assert.ok(stderr);
    assert.equal(
      await text(stderr),
      'rapsheet: the output cannot be written: ENOSPC: no space left on device, write\n',
    );
    assert.deepEqual(await closed, [1, null]);
  });

  it('does not change the exit code if it is a message', async () => {
    const child = spawn(process.execPath, [ENTRY, 'no-such-command'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.destroy();
    assert.deepEqual(await once(child, 'close'), [2, null]);
  });
});
