import type pg from 'pg';
import type { Clock, MachineClock } from '../../ports/clock.ts';

/** The time of the database in milliseconds, as an expression. `clock_timestamp` moves within a transaction, too. */
export const DATABASE_MS = '(extract(epoch from clock_timestamp()) * 1000)::float8';

const SYSTEM_CLOCK: MachineClock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** What the database said of its time, and between which two readings of the monotonic clock it said so. */
export interface TimeSample {
  readonly askedAtMs: number;
  readonly heardAtMs: number;
  readonly databaseMs: number;
}

/**
 * The time of the database, without asking it: its time at the last sample and what the monotonic clock has counted
 * since. So all nodes go by one clock, and setting the clock of a machine changes nothing. The watch takes a sample with
 * each of its looks.
 */
export class DatabaseClock implements Clock {
  readonly #machine: MachineClock;
  /** The time of the database less the monotonic clock. */
  #offsetMs: number;

  constructor(first: TimeSample, machine: MachineClock = SYSTEM_CLOCK) {
    this.#machine = machine;
    this.#offsetMs = first.databaseMs - (first.askedAtMs + first.heardAtMs) / 2;
  }

  static async open(pool: pg.Pool, machine: MachineClock = SYSTEM_CLOCK): Promise<DatabaseClock> {
    const client = await pool.connect();
    try {
      const askedAtMs = machine.monotonicMs();
      const { rows } = await client.query<{ now: number }>(`select ${DATABASE_MS} as now`);
      const sample = {
        askedAtMs,
        heardAtMs: machine.monotonicMs(),
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
   * The database read its clock at some moment between question and answer, so the true offset lies between two bounds.
   * Within them nothing is changed: a slow answer moves nothing, and of all samples the quickest decides.
   */
  add({ askedAtMs, heardAtMs, databaseMs }: TimeSample): void {
    const [least, most] = [databaseMs - heardAtMs, databaseMs - askedAtMs];
    this.#offsetMs = Math.min(most, Math.max(least, this.#offsetMs));
  }

  #nowMs(): number {
    return this.#machine.monotonicMs() + this.#offsetMs;
  }
}
