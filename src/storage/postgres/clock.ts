import type pg from 'pg';
import type { Clock, MachineClock } from '../../ports/clock.ts';

/**
 * SQL expression for the time of the database in milliseconds. Unlike `now()`, `clock_timestamp()`
 * advances within a transaction.
 */
export const DATABASE_MS = '(extract(epoch from clock_timestamp()) * 1000)::float8';

const SYSTEM_CLOCK: MachineClock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** A time of the database, and the monotonic clock before and after the query. */
export interface TimeSample {
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
  readonly databaseMs: number;
}

/**
 * The time of the database, extrapolated from the last sample by the monotonic clock. All nodes
 * share this clock, and setting the clock of a machine has no effect. The change channel adds a
 * sample at each poll.
 */
export class DatabaseClock implements Clock {
  readonly #machine: MachineClock;
  /** Database time minus monotonic clock. */
  #offsetMs: number;

  constructor(first: TimeSample, machine: MachineClock = SYSTEM_CLOCK) {
    this.#machine = machine;
    this.#offsetMs = first.databaseMs - (first.sentAtMs + first.receivedAtMs) / 2;
  }

  static async open(pool: pg.Pool, machine: MachineClock = SYSTEM_CLOCK): Promise<DatabaseClock> {
    const client = await pool.connect();
    try {
      const sentAtMs = machine.monotonicMs();
      const { rows } = await client.query<{ now: number }>(`select ${DATABASE_MS} as now`);
      const sample = {
        sentAtMs,
        receivedAtMs: machine.monotonicMs(),
        databaseMs: Number(rows[0]?.now),
      };
      return new DatabaseClock(sample, machine);
    } finally {
      client.release();
    }
  }

  now(): Date {
    return new Date(this.#nowMs());
  }

  machineOffsetMs(): number {
    return this.#machine.wallMs() - this.#nowMs();
  }

  /**
   * The database read its clock between sending and receiving, so a sample bounds the true offset.
   * An offset within the bounds stays: slow answers change nothing, the fastest one decides.
   */
  add({ sentAtMs, receivedAtMs, databaseMs }: TimeSample): void {
    const [min, max] = [databaseMs - receivedAtMs, databaseMs - sentAtMs];
    this.#offsetMs = Math.min(max, Math.max(min, this.#offsetMs));
  }

  #nowMs(): number {
    return this.#machine.monotonicMs() + this.#offsetMs;
  }
}
