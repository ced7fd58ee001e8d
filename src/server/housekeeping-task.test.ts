import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '../observability/log.ts';
import { startTask } from './housekeeping-task.ts';

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
    const task = { name: 'a task', runSlice, intervalMs: 1000 };
    const stop = startTask(task, createLog('silent'), now);
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
});
