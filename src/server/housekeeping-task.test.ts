import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '../observability/log.ts';
import { keepUp } from './housekeeping.ts';

describe('a chore', () => {
  it('begins nothing more once it is ended', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const { promise: slice, resolve: finish } = Promise.withResolvers<number>();
    let slices = 0;
    const now = async () => new Date();
    const work = () => {
      slices += 1;
      return slice;
    };
    const end = keepUp({ name: 'a chore', slice: work, everyMs: 1000 }, createLog('silent'), now);
    test.mock.timers.tick(20);
    await now();
    assert.equal(slices, 1);
    end();
    finish(5);
    await slice;
    await Promise.resolve();
    test.mock.timers.tick(60_000);
    assert.equal(slices, 1);
  });
});
