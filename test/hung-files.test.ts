import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { killHungFiles } from '../scripts/hung-files.ts';

/**
 * The program of a process that never ends. Its last argument makes it look like a test file or
 * like a process that a test file started.
 */
const NEVER_ENDS = 'setInterval(() => {}, 1000); process.stdout.write("ready");';
const STARTS_ANOTHER = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(NEVER_ENDS)}, 'a-server'], { stdio: 'inherit' });`;

it('kills a test file that does not end with all its descendants and names it, and leaves other processes alone', async () => {
  const start = (program: string, name: string) =>
    spawn(process.execPath, ['-e', program, name], { stdio: ['ignore', 'pipe', 'ignore'] });
  const hung = start(`${STARTS_ANOTHER} setInterval(() => {}, 1000);`, 'test/hung.test.ts');
  const other = start(NEVER_ENDS, 'some-program');
  await Promise.all([hung, other].map((child) => once(child.stdout, 'data')));
  // The pipe closes only when the grandchild has ended too.
  const closed = once(hung, 'close');
  const killed: string[] = [];
  const stop = killHungFiles(
    {
      runner: process.pid,
      files: ['test/hung.test.ts', 'test/other.test.ts'],
      limitMs: 50,
      onKill: (file) => killed.push(file),
    },
    20,
  );
  assert.deepEqual(await closed, [null, 'SIGKILL']);
  stop();
  assert.deepEqual([...new Set(killed)], ['test/hung.test.ts']);
  assert.equal(other.exitCode ?? other.signalCode, null);
  other.kill('SIGKILL');
  await once(other, 'close');
});
