import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '../observability/log.ts';
import { startTask } from './housekeeping-task.ts';

const watch = { on: () => undefined };

describe('a housekeeping task', () => {
  it('begins no slice after it was stopped', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const { promise: slice, resolve: finish } = Promise.withResolvers<number>();
    let slices = 0;
    const now = async () => new Date();
    const runSlice = () => {
      slices += 1;
      return slice;
    };
    const task = { name: 'a task', runSlice, trigger: { everyMs: 1000 } };
    const stop = startTask(task, { log: createLog('silent'), trustedTime: now, watch });
    test.mock.timers.tick(20);
    await now();
    assert.equal(slices, 1);
    stop();
    finish(5);
    await slice;
    await Promise.resolve();
    test.mock.timers.tick(60_000);
    assert.equal(slices, 1);
  });

  it('that waits for work begins when it is found, and runs until none is left', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const left = [3, 1, 0];
    let slices = 0;
    const runSlice = async () => {
      slices += 1;
      return left.shift() ?? 0;
    };
    let wake = () => assert.fail('nothing is watched');
    const task = { name: 'a task', runSlice, trigger: { pending: 'expiries' as const } };
    const stop = startTask(task, {
      log: createLog('silent'),
      trustedTime: async () => new Date(),
      watch: {
        on(_, listener) {
          wake = listener as typeof wake;
        },
      },
    });
    const advance = async (ms: number) => {
      test.mock.timers.tick(ms);
      for (let round = 0; round < 10; round += 1) await Promise.resolve();
    };
    await advance(60_000);
    assert.equal(slices, 0);
    wake();
    await advance(0);
    // A second look, while it runs, changes nothing.
    wake();
    await advance(20);
    await advance(20);
    await advance(60_000);
    assert.equal(slices, 3);
    wake();
    await advance(0);
    assert.equal(slices, 4);
    stop();
  });
});
