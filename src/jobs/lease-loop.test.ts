import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { LeaseLoop } from './lease-loop.ts';

/** A loop over a list of work, each piece of which ends when the test says so. */
function openLoop(test: TestContext, capacity: number, work: readonly string[]) {
  const pending = [...work];
  const running = new Map<string, () => void>();
  const limits: number[] = [];
  const errors: unknown[] = [];
  const state = { isPaused: false, failure: undefined as Error | undefined };
  const loop = new LeaseLoop<string>({
    capacity,
    async lease(limit) {
      limits.push(limit);
      await turn();
      if (state.failure !== undefined) throw state.failure;
      return pending.splice(0, limit);
    },
    run: (name) => new Promise((resolve) => running.set(name, resolve)),
    isPaused: () => state.isPaused,
    onLeaseError: (err) => errors.push(err),
  });
  test.after(() => loop.stop());
  const end = (name: string) => {
    running.get(name)?.();
    running.delete(name);
  };
  return { loop, pending, running, limits, errors, state, end };
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 10; turns += 1) await turn();
}

describe('the lease loop', () => {
  it('runs no more than its capacity, and leases again when a run ends', async (test) => {
    const { loop, running, limits, end } = openLoop(test, 2, ['a', 'b', 'c']);
    loop.wake();
    await settle();
    assert.deepEqual([...running.keys()], ['a', 'b']);
    end('a');
    await settle();
    assert.deepEqual([...running.keys()], ['b', 'c']);
    assert.deepEqual(limits, [2, 1]);
  });

  it('leases again if it was woken during a lease', async (test) => {
    const { loop, pending, running, limits } = openLoop(test, 2, []);
    loop.wake();
    loop.wake();
    pending.push('a');
    await settle();
    assert.deepEqual([...running.keys()], ['a']);
    pending.push('b');
    loop.wake();
    await settle();
    assert.deepEqual([...running.keys()], ['a', 'b']);
    assert.ok(limits.length >= 2);
  });

  it('leases nothing while it is paused', async (test) => {
    const { loop, limits, state } = openLoop(test, 1, ['a']);
    state.isPaused = true;
    loop.wake();
    await settle();
    assert.deepEqual(limits, []);
    state.isPaused = false;
    loop.wake();
    await settle();
    assert.deepEqual(limits, [1]);
  });

  it('reports a lease that fails, and does not repeat it at once', async (test) => {
    const { loop, running, limits, errors, state } = openLoop(test, 1, ['a']);
    state.failure = new Error('no lease today');
    loop.wake();
    loop.wake();
    await settle();
    assert.deepEqual(errors, [state.failure]);
    assert.deepEqual(limits, [1]);
    state.failure = undefined;
    loop.wake();
    await settle();
    assert.deepEqual([...running.keys()], ['a']);
  });

  it('leases nothing after it was stopped, and is idle when the last run has ended', async (test) => {
    const { loop, pending, running, end } = openLoop(test, 2, ['a']);
    loop.wake();
    await settle();
    await loop.stop();
    let isIdle = false;
    const idle = loop.idle().then(() => {
      isIdle = true;
    });
    pending.push('b');
    loop.wake();
    await settle();
    assert.deepEqual([...running.keys()], ['a']);
    assert.equal(isIdle, false);
    end('a');
    await idle;
  });
});
