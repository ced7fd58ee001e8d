import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clockDrift, formatDrift, isJump } from './clock-jump.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-11-15T12:00:00Z');
const reading = (atMs: number, timerMs: number, timer = 'boot-1') => ({
  at: new Date(START + atMs),
  timer,
  timerMs,
});

describe('the drift between two readings of a clock', () => {
  it('is zero if the timer accounts for the time between them, however long', () => {
    const drift = clockDrift(reading(0, 1000), reading(400 * DAY_MS, 1000 + 400 * DAY_MS));
    assert.equal(drift, 0);
  });

  it('is the amount by which the clock was set', () => {
    assert.equal(clockDrift(reading(0, 0), reading(2 * DAY_MS + 5, 5)), 2 * DAY_MS);
    assert.equal(clockDrift(reading(0, 0), reading(5 - 2 * DAY_MS, 5)), -2 * DAY_MS);
  });

  it('is the whole time between them if the elapsed time is unknown', () => {
    const earlier = reading(0, 1000);
    assert.equal(clockDrift(earlier, reading(3 * DAY_MS, 5000, 'boot-2')), 3 * DAY_MS);
    // The timer of a container restarts on the same machine.
    assert.equal(clockDrift(earlier, reading(3 * DAY_MS, 10)), 3 * DAY_MS);
  });

  it('is a jump if it is more than a day, in either direction', () => {
    for (const sign of [1, -1]) {
      assert.equal(isJump(sign * DAY_MS), false);
      assert.equal(isJump(sign * (DAY_MS + 1)), true);
    }
  });

  it('is described in words', () => {
    assert.equal(formatDrift(365.25 * DAY_MS), '365.3 days ahead of');
    assert.equal(formatDrift(-12_400), '12 s behind');
  });
});
