import type { StatusCounts } from '../reports/statistics.ts';

/** How a service deals with the reports in its feed. */
export interface ServiceCounts {
  /** The existing reports by status. The next three members count existing reports too. */
  readonly statuses: Readonly<StatusCounts>;
  readonly confirmed: number;
  readonly contradicted: number;
  /** The reports whose C2 another service answers for. */
  readonly misrouted: number;
  /** The reports of a C2 that had been taken down before. */
  readonly recurrences: number;
  /** The days on which such reports were made, oldest first. */
  readonly recurrenceDays: readonly RecurrenceDay[];
  /** The reports answered within the days, by the time that took: one for each bucket. */
  readonly timeToAcknowledge: readonly number[];
  readonly timeToAct: readonly number[];
  /** `false` while reports that are older than the counters are counted. */
  readonly isComplete: boolean;
}

export interface RecurrenceDay {
  /** UTC, YYYY-MM-DD. */
  readonly day: string;
  readonly count: number;
}
