import { z } from 'zod';
import { REPORT_STATUSES } from '../report-schemas.ts';
import { day, list, slug, utc } from '../schemas.ts';

const count = z.int().min(0);

export const complete = z.boolean().meta({
  description: 'False while older reports are still being counted: the counts are too low',
});

/** A count for each status. */
export const statusCounts = z.strictObject(
  Object.fromEntries(REPORT_STATUSES.map((status) => [status, count])) as Record<
    (typeof REPORT_STATUSES)[number],
    typeof count
  >,
);

export const feedStatistics = z
  .strictObject({
    service: slug.meta({ description: 'The slug of the service, or `all`' }),
    asOf: utc,
    days: list(
      z.strictObject({
        day,
        reported: count.meta({ description: 'The reports that were created on this day' }),
        actioned: count.meta({ description: 'How often this status was set on this day' }),
        rejected: count,
        expired: count,
      }),
    ).meta({ description: 'Every day, oldest first; the last one is the current day' }),
    statuses: statusCounts.meta({ description: 'The current statuses of all reports' }),
    families: list(z.strictObject({ name: z.string(), reports: count })).meta({
      description:
        'The names of all reports, at most 20, the most frequent first. Spellings that differ in the case of letters are counted together',
    }),
    timeToAct: z
      .strictObject({
        medianSeconds: count.nullable().meta({ description: 'Estimated from the buckets' }),
        acted: count,
        buckets: list(
          z.strictObject({
            upToSeconds: count.nullable().meta({ description: 'Null: any longer time' }),
            reports: count,
          }),
        ),
      })
      .meta({
        description:
          'The time from a report to the first `actioned` or `rejected`, of the reports that got it on one of these days',
      }),
    complete,
  })
  .meta({ id: 'FeedStatistics', description: 'Counts of a feed, or of all feeds' });
