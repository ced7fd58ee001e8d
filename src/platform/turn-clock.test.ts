import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { turnClock } from './turn-clock.ts';

describe('the clock of a turn', () => {
  it('is read once in a turn and again in the next', async () => {
    let reads = 0;
    const now = turnClock(() => {
      reads += 1;
      return new Date(reads);
    });
    assert.equal(now().getTime(), 1);
    await Promise.resolve();
    assert.equal(now().getTime(), 1);
    await nextTurn();
    assert.equal(now().getTime(), 2);
    assert.equal(reads, 2);
  });

  it('is read again after it failed', () => {
    let isBroken = true;
    const now = turnClock(() => {
      if (isBroken) throw new Error('no time');
      return new Date(1);
    });
    assert.throws(now, /no time/);
    isBroken = false;
    assert.equal(now().getTime(), 1);
  });
});
