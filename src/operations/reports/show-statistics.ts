import {
  type DayCounts,
  type FeedCounts,
  medianTimeToAct,
  TIME_TO_ACT_BOUNDS,
} from '../../domain/reports/statistics.ts';
import { daysUpTo, firstDay } from '../../domain/utc-days.ts';
import type { FeedScope } from '../../ports/feed-store.ts';
import type { Dependencies } from '../dependencies.ts';

export interface ShownStatistics extends Omit<FeedCounts, 'timeToAct'> {
  readonly asOf: Date;
  readonly timeToAct: {
    readonly medianSeconds: number | undefined;
    readonly acted: number;
    readonly buckets: readonly {
      /** `undefined`: any longer time. */
      readonly upToSeconds: number | undefined;
      readonly reports: number;
    }[];
  };
}

/** The counts of a feed, or of all feeds, with every one of the last days. */
export async function showStatistics(
  { store, now }: Pick<Dependencies, 'store' | 'now'>,
  scope: FeedScope,
  days: number,
): Promise<ShownStatistics> {
  const asOf = now();
  const counts = await store.feeds.statistics(scope, firstDay(asOf, days));
  const counted = new Map(counts.days.map((one) => [one.day, one]));
  return {
    asOf,
    days: daysUpTo(asOf, days).map((day) => counted.get(day) ?? emptyDay(day)),
    statuses: counts.statuses,
    families: counts.families,
    isComplete: counts.isComplete,
    timeToAct: {
      medianSeconds: medianTimeToAct(counts.timeToAct),
      acted: counts.timeToAct.reduce((sum, reports) => sum + reports, 0),
      buckets: counts.timeToAct.map((reports, index) => ({
        upToSeconds: TIME_TO_ACT_BOUNDS[index],
        reports,
      })),
    },
  };
}

function emptyDay(day: string): DayCounts {
  return { day, reported: 0, actioned: 0, rejected: 0, expired: 0 };
}
