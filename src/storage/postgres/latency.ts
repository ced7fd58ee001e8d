import type { TimeSample } from './clock.ts';

/** A lock is held for one or two round trips, and several nodes may queue for it. */
const ROUND_TRIPS = 10;
/** A limit must end in time for the callers, whatever was measured. */
const MAX_ALLOWANCE_MS = 10_000;
/** The fastest of the last samples counts, so a single slow answer changes no limit. */
const SAMPLES = 4;

/**
 * The measured distance to the database. Limits on locks, idle transactions and silent connections
 * grow with it: they are made for a database nearby, and would end the transactions of a distant
 * node that waits for a lock.
 */
export class Latency {
  #samples: readonly number[] = [];

  add({ sentAtMs, receivedAtMs }: Pick<TimeSample, 'sentAtMs' | 'receivedAtMs'>): void {
    this.#samples = [...this.#samples, receivedAtMs - sentAtMs].slice(-SAMPLES);
  }

  /** The time added to a limit; 0 before the first measurement. */
  get allowanceMs(): number {
    const roundTripMs = this.#samples.length === 0 ? 0 : Math.min(...this.#samples);
    return Math.min(MAX_ALLOWANCE_MS, Math.ceil(ROUND_TRIPS * roundTripMs));
  }
}
