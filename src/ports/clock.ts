import type { ClockReading } from '../domain/clock-jump.ts';
import type { AuditContext } from './audit-context.ts';

/** The time for stored data: expiry, retention, quota windows, leases, the age of tokens. */
export interface Clock {
  now(): Date;
  /**
   * How far the clock of this machine is ahead of that time; negative if it is behind. `undefined`
   * if the clock of this machine is the one that counts.
   */
  machineOffsetMs(): number | undefined;
}

/** The clocks of this machine. */
export interface MachineClock {
  /** Milliseconds since 1970. It jumps when the clock is set. */
  wallMs(): number;
  /** Milliseconds since an arbitrary moment. It cannot be set, but may stop during a suspend. */
  monotonicMs(): number;
}

/** Stores the mark: the last reading of a clock that was known to be right. */
export interface ClockStore {
  mark(): Promise<ClockReading | undefined>;
  saveMark(reading: ClockReading): Promise<void>;
  /** Replaces the mark after an operator has confirmed the clock. */
  confirm(reading: ClockReading, audit: AuditContext): Promise<void>;
}

/** Measures elapsed time. */
export interface Timer {
  /** Only readings of the same timer can be compared. */
  readonly id: string;
  elapsedMs(): number;
}
