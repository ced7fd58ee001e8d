import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseClock } from './clock.ts';

const YEAR_MS = 365 * 86_400_000;
const START = Date.parse('2026-11-15T12:00:00Z');

/** A machine whose clock can be set, and a database whose clock is right. */
class World {
  monotonic = 1000;
  wall = START;
  readonly machine = { wallMs: () => this.wall, monotonicMs: () => this.monotonic };

  pass(ms: number): void {
    this.monotonic += ms;
    this.wall += ms;
  }

  /** The database reads its clock after `share` of the round trip. */
  sample(takesMs: number, share = 0.5, databaseAheadMs = 0) {
    const sentAtMs = this.monotonic;
    const databaseMs = START + sentAtMs - 1000 + takesMs * share + databaseAheadMs;
    this.pass(takesMs);
    return { sentAtMs, receivedAtMs: this.monotonic, databaseMs };
  }

  open(): DatabaseClock {
    return new DatabaseClock(this.sample(2), this.machine);
  }

  get rightMs(): number {
    return START + this.monotonic - 1000;
  }
}

describe('the time of the database', () => {
  it('advances between samples, independently of the clock of the machine', () => {
    const world = new World();
    const clock = world.open();
    world.pass(60_000);
    world.wall += YEAR_MS;
    assert.equal(clock.now().getTime(), world.rightMs);
    assert.equal(clock.machineOffsetMs(), YEAR_MS);
    world.wall -= YEAR_MS;
    assert.equal(clock.machineOffsetMs(), 0);
  });

  it('deviates by no more than the fastest round trip', () => {
    const world = new World();
    const clock = world.open();
    for (const [takesMs, share] of [
      [5000, 1],
      [5000, 0],
      [40, 0.9],
      [2, 0],
      [300, 0.1],
    ] as const) {
      clock.add(world.sample(takesMs, share));
      assert.ok(Math.abs(clock.now().getTime() - world.rightMs) <= 2);
    }
  });

  it('follows the next sample after the machine was suspended or the database changed its clock', () => {
    const world = new World();
    const clock = world.open();
    // The monotonic clock did not advance meanwhile.
    for (const aheadMs of [3_600_000, 0]) {
      clock.add(world.sample(2, 0.5, aheadMs));
      assert.ok(Math.abs(clock.now().getTime() - world.rightMs - aheadMs) <= 2);
    }
  });
});
