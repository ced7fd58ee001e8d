import { DAY_MS, HOUR_MS } from '../duration.ts';
import type { ReportStatus } from './desk.ts';

/** Counts of a feed, or of all feeds, over the last days. */

export const MAX_STATISTICS_DAYS = 90;
export const DEFAULT_STATISTICS_DAYS = 30;
/** The families that statistics list. */
export const MAX_FAMILIES = 20;

const MINUTES = 60;
const HOURS = HOUR_MS / 1000;
const DAYS = DAY_MS / 1000;

/** The upper bounds of the time from a report to its answer. One more bucket has no bound. */
export const TIME_TO_ACT_BOUNDS: readonly number[] = [
  15 * MINUTES,
  30 * MINUTES,
  HOURS,
  2 * HOURS,
  4 * HOURS,
  8 * HOURS,
  DAYS,
  2 * DAYS,
  4 * DAYS,
  8 * DAYS,
  15 * DAYS,
  30 * DAYS,
];

/** What happened on one UTC day. */
export interface DayCounts {
  readonly day: string;
  readonly reported: number;
  readonly actioned: number;
  readonly rejected: number;
  readonly expired: number;
}

export interface FamilyCount {
  readonly name: string;
  readonly reports: number;
}

export type StatusCounts = Record<ReportStatus, number>;

export function noStatuses(): StatusCounts {
  return { open: 0, acknowledged: 0, actioned: 0, rejected: 0, expired: 0 };
}

export interface FeedCounts {
  /** The days with a count other than 0, oldest first. */
  readonly days: readonly DayCounts[];
  /** The existing reports by status. */
  readonly statuses: Readonly<StatusCounts>;
  /** The most frequent names of reports. */
  readonly families: readonly FamilyCount[];
  /** The reports answered within the days, by the time that took: one for each bucket. */
  readonly timeToAct: readonly number[];
  /** Whether all existing reports are counted: older ones are counted in the background. */
  readonly isComplete: boolean;
}

/** An answer of the desk, with the bucket of the time that it took. */
export interface Answer {
  readonly at: Date;
  readonly bucket: number;
}

export function answerOf(reportedAt: Date, at: Date): Answer {
  return { at, bucket: timeToActBucket(reportedAt, at) };
}

/** The bucket of a report that was answered after that time: an index of `timeToAct`. */
export function timeToActBucket(reportedAt: Date, actedAt: Date): number {
  const seconds = (actedAt.getTime() - reportedAt.getTime()) / 1000;
  const index = TIME_TO_ACT_BOUNDS.findIndex((bound) => seconds <= bound);
  return index < 0 ? TIME_TO_ACT_BOUNDS.length : index;
}

export function medianTimeToAct(buckets: readonly number[]): number | undefined {
  return timeQuantile(buckets, 0.5);
}

/**
 * The time in seconds that this share of the reports did not exceed, interpolated in its bucket. In
 * the last bucket, which has no bound, it is the bound of the one before. `undefined` without a
 * report.
 */
export function timeQuantile(buckets: readonly number[], share: number): number | undefined {
  const rank = buckets.reduce((sum, reports) => sum + reports, 0) * share;
  if (rank <= 0) return undefined;
  let below = 0;
  const index = buckets.findIndex((reports) => {
    if (reports > 0 && below + reports >= rank) return true;
    below += reports;
    return false;
  });
  const from = TIME_TO_ACT_BOUNDS[index - 1] ?? 0;
  const upTo = TIME_TO_ACT_BOUNDS[index] ?? from;
  return Math.round(from + ((upTo - from) * (rank - below)) / (buckets[index] ?? 1));
}
