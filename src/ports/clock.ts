import type { ClockReading } from '../domain/clock-jump.ts';
import type { AuditContext } from './audit-context.ts';

/** The time that decides about stored data: expiry, retention, quota windows, leases, the age of tokens. */
export interface Clock {
  now(): Date;
  /**
   * How far the clock of this machine is ahead of that time; negative where it is behind, `undefined` where it is that
   * time.
   */
  machineOffsetMs(): number | undefined;
}

/** Readings of this machine. */
export interface MachineClock {
  /** Milliseconds since 1970. Anybody may set it. */
  wallMs(): number;
  /** Milliseconds since some moment. Nobody can set it, but it may stand still while the machine is suspended. */
  monotonicMs(): number;
}

/** The last time at which the clock was known to be right, kept in the store. */
export interface ClockStore {
  mark(): Promise<ClockReading | undefined>;
  keepMark(reading: ClockReading): Promise<void>;
  /** The clock is right as it is, says an operator. */
  confirm(reading: ClockReading, audit: AuditContext): Promise<void>;
}

/** Counts time that has really passed. */
export interface Timer {
  /** Readings can be compared only with those of the same timer. */
  readonly id: string;
  elapsedMs(): number;
}
