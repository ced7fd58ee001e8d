import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { endHungFiles } from '../scripts/hung-files.ts';

/**
 * Stands in for a test file, or for what one has started: a process that never ends, called by that
 * name.
 */
const NEVER_ENDS = 'setInterval(() => {}, 1000); process.stdout.write("ready");';
const STARTS_ANOTHER = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(NEVER_ENDS)}, 'a-server'], { stdio: 'inherit' });`;

it('a test file that does not end is killed with all that it started, and named; others are left alone', async () => {
  const start = (program: string, name: string) =>
    spawn(process.execPath, ['-e', program, name], { stdio: ['ignore', 'pipe', 'ignore'] });
  const hung = start(`${STARTS_ANOTHER} setInterval(() => {}, 1000);`, 'test/hung.test.ts');
  const other = start(NEVER_ENDS, 'some-program');
  await Promise.all([hung, other].map((child) => once(child.stdout, 'data')));
  // The pipe is closed only when the one that was started has gone too.
  const closed = once(hung, 'close');
  const told: string[] = [];
  const stop = endHungFiles(
    {
      runner: process.pid,
      files: ['test/hung.test.ts', 'test/other.test.ts'],
      limitMs: 50,
      tell: (file) => told.push(file),
    },
    20,
  );
  assert.deepEqual(await closed, [null, 'SIGKILL']);
  stop();
  assert.deepEqual([...new Set(told)], ['test/hung.test.ts']);
  assert.equal(other.exitCode ?? other.signalCode, null);
  other.kill('SIGKILL');
  await once(other, 'close');
});
