import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { WorkerCommand } from '../../src/analysis/worker/isolation/chains.ts';
import { FATAL_CALLS, REFUSED_CALLS } from './forbidden-calls.ts';
import { Probe, sandboxFor, writeProbe } from './system-call-probe.ts';

const GIB = 1024 ** 3;
const NUMBERS =
  process.arch === 'arm64'
    ? { getpid: 172, mmap: 222, clone: 220 }
    : { getpid: 39, mmap: 9, clone: 56 };
const SIGCHLD = 17;
const READ_WRITE = 3;
const SHARED_ANONYMOUS = 0x21;
const PRIVATE_ANONYMOUS = 0x22;

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-probe-'));
// The worker may run as another user.
chmodSync(folder, 0o755);
after(() => rmSync(folder, { recursive: true }));

const program = writeProbe(folder);
const strongest = sandboxFor(folder);
const unfiltered = sandboxFor(folder, { isFiltered: false });

async function probing<Result>(
  chain: WorkerCommand | undefined,
  run: (probe: Probe) => Promise<Result>,
): Promise<Result> {
  assert.ok(program !== undefined && chain !== undefined);
  const probe = new Probe(program, chain);
  try {
    return await run(probe);
  } finally {
    await probe.end();
  }
}

function whySkipped(): string | false {
  if (program === undefined) return `there is no probe for ${process.arch}`;
  return strongest === undefined ? 'bubblewrap is not installed' : false;
}

describe('the sandbox of a worker', { skip: whySkipped() }, () => {
  it('refuses every system call that a worker does not need', async () => {
    await probing(strongest, async (probe) => {
      assert.equal(typeof (await probe.call(NUMBERS.getpid)), 'number');
      for (const { title, number, callArguments } of REFUSED_CALLS)
        assert.match(String(await probe.call(number, ...callArguments)), /^(EPERM|ENOSYS)$/, title);
    });
  });

  it('kills a worker that makes a call of an attack', async () => {
    for (const { title, number, callArguments } of FATAL_CALLS) {
      const end = await probing(strongest, (probe) => probe.call(number, ...callArguments));
      assert.equal(end, 'killed', title);
    }
  });

  it('starts no process', async () => {
    const results = await probing(strongest, async (probe) => {
      const found: (number | string)[] = [];
      for (let count = 0; count < 200; count += 1)
        found.push(await probe.call(NUMBERS.clone, SIGCHLD));
      return found;
    });
    assert.deepEqual(new Set(results), new Set(['EPERM']));
  });

  it('maps no shared memory, and private memory up to the limit', async () => {
    await probing(strongest, async (probe) => {
      const map = (bytes: number, flags: number) =>
        probe.call(NUMBERS.mmap, 0, bytes, READ_WRITE, flags, -1, 0);
      assert.equal(await map(4096, SHARED_ANONYMOUS), 'EPERM');
      assert.equal(typeof (await map(GIB, PRIVATE_ANONYMOUS)), 'number');
      assert.equal(await map(GIB, PRIVATE_ANONYMOUS), 'ENOMEM');
    });
  });

  it('is what refuses them: the probe can make the calls without the filter', async () => {
    await probing(unfiltered, async (probe) => {
      assert.equal(typeof (await probe.call(NUMBERS.clone, SIGCHLD)), 'number');
      const shared = await probe.call(
        NUMBERS.mmap,
        0,
        3 * GIB,
        READ_WRITE,
        SHARED_ANONYMOUS,
        -1,
        0,
      );
      assert.equal(typeof shared, 'number');
    });
  });
});
