import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type WorkerError, WorkerProcess } from '../../src/analysis/worker/worker-process.ts';

const SOURCE = new URL('../../src/analysis/worker/worker-process.ts', import.meta.url).href;
const OPEN = { kind: 'open', rules: [] } as const;
const MIB = 1024 * 1024;

async function* mebibytes(count: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < count; at += 1) yield Buffer.alloc(MIB);
}

/** Starts a worker with that program. */
function running(program: string): WorkerProcess {
  return new WorkerProcess({ command: [process.execPath, '-e', program] });
}

function sample(sizeBytes: number) {
  return { kind: 'analyse', fileName: 'a', sizeBytes, at: '2026-08-26T10:00:00Z' } as const;
}

async function endOf(worker: WorkerProcess, count = 0): Promise<string> {
  const order = count === 0 ? OPEN : sample(count * MIB);
  const end = await worker.request(order, mebibytes(count), { elapsedMs: 180_000 }).then(
    () => assert.fail('it answered'),
    (cause: WorkerError) => cause,
  );
  await worker.exited;
  assert.equal(worker.hasEnded, true);
  return `${end.failure}: ${end.message}`;
}

describe('a worker process', () => {
  it('has crashed if it dies while a sample is sent', async () => {
    const worker = running('process.stdin.once("data", () => process.exit(7))');
    assert.equal(await endOf(worker, 64), 'crashed: it ended with 7');
  });

  for (const end of ['exit 159', 'kill -SYS $$'])
    it(`states that the filter of system calls killed it: ${end}`, async () => {
      const worker = new WorkerProcess({ command: ['/bin/sh', '-c', end] });
      assert.equal(
        await endOf(worker),
        'crashed: it was killed because it made a forbidden system call',
      );
    });

  it('has crashed if the program does not exist', async () => {
    assert.match(
      await endOf(new WorkerProcess({ command: ['/nowhere/at/all'] })),
      /^crashed: .*ENOENT/,
    );
  });

  it('has crashed if the system refuses to start it', async () => {
    const worker = new WorkerProcess({ command: ['/bin/true', 'x'.repeat(8 * MIB)] });
    assert.match(await endOf(worker), /^crashed: .*E2BIG/);
  });

  it('has crashed if no descriptor is left, without other effects', async () => {
    const script = `
      import { openSync } from 'node:fs';
      import { WorkerProcess } from ${JSON.stringify(SOURCE)};
      try { for (;;) openSync('/dev/null'); } catch {}
      const worker = new WorkerProcess({ command: ['/bin/true'] });
      await worker.request(${JSON.stringify(OPEN)}, (async function* () {})(), { elapsedMs: 180_000 }).catch(
        ({ failure, message }) => console.log(failure, message),
      );
      await worker.exited;`;
    const { stdout } = await promisify(execFile)('/bin/sh', [
      '-c',
      'ulimit -n 64; exec "$@"',
      'sh',
      process.execPath,
      '--input-type=module',
      '-e',
      script,
    ]);
    assert.match(stdout, /^crashed .*EMFILE/);
  });

  it('reports its last message without the Node version', async () => {
    const worker = running('throw new TypeError("no such thing")');
    assert.equal(await endOf(worker), 'crashed: it ended with 1: TypeError: no such thing');
  });

  it('escapes its last message', async () => {
    const worker = running('console.error("\\x1b[31m" + "x".repeat(5000)); process.exit(1)');
    const end = await endOf(worker);
    assert.ok(end.length < 400);
    assert.ok(!end.includes('\x1b'));
  });

  it('is killed if it does not exit', async (test) => {
    const worker = running('setInterval(() => {}, 1000)');
    test.mock.timers.enable({ apis: ['setTimeout'] });
    worker.end();
    test.mock.timers.tick(5000);
    await worker.exited;
  });
});
