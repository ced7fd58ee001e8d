import { TIME_TO_ACT_BOUNDS, timeQuantile } from '../../domain/reports/statistics.ts';
import type { RecurrenceDay, ServiceCounts } from '../../domain/trust/scorecard.ts';
import { daysUpTo, firstDay } from '../../domain/utc-days.ts';
import type { Dependencies } from '../dependencies.ts';

/** In seconds; estimated from the buckets. `undefined` if there is none. */
export interface TimesTaken {
  readonly median: number | undefined;
  readonly p90: number | undefined;
  readonly count: number;
  readonly buckets: readonly {
    /** `undefined`: any longer time. */
    readonly upToSeconds: number | undefined;
    readonly reports: number;
  }[];
}

export interface Scorecard
  extends Omit<ServiceCounts, 'timeToAcknowledge' | 'timeToAct' | 'recurrenceDays'> {
  readonly asOf: Date;
  /** Every one of the last days, oldest first. */
  readonly recurrenceDays: readonly RecurrenceDay[];
  readonly timeToAcknowledge: TimesTaken;
  readonly timeToAct: TimesTaken;
}

/** How a service deals with its reports: the current state, and the last days. */
export async function showScorecard(
  { store, now }: Pick<Dependencies, 'store' | 'now'>,
  service: string,
  days: number,
): Promise<Scorecard> {
  const asOf = now();
  const counts = await store.trust.service(service, firstDay(asOf, days));
  const counted = new Map(counts.recurrenceDays.map((one) => [one.day, one]));
  return {
    ...counts,
    asOf,
    recurrenceDays: daysUpTo(asOf, days).map((day) => counted.get(day) ?? { day, count: 0 }),
    timeToAcknowledge: timesOf(counts.timeToAcknowledge),
    timeToAct: timesOf(counts.timeToAct),
  };
}

function timesOf(buckets: readonly number[]): TimesTaken {
  return {
    median: timeQuantile(buckets, 0.5),
    p90: timeQuantile(buckets, 0.9),
    count: buckets.reduce((sum, reports) => sum + reports, 0),
    buckets: buckets.map((reports, index) => ({
      upToSeconds: TIME_TO_ACT_BOUNDS[index],
      reports,
    })),
  };
}
