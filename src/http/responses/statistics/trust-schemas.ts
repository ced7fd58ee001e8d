import { z } from 'zod';
import { REJECTION_REASONS } from '../../../domain/trust/outcome.ts';
import { day, list, slug, utc } from '../schemas.ts';
import { complete, statusCounts } from './feed-schemas.ts';

const count = z.int().min(0);
const share = z.number().min(0).max(1);

const reporterTotals = z
  .strictObject({
    reports: count,
    confirmed: count.meta({ description: 'The configuration in the file names the C2' }),
    contradicted: count.meta({ description: 'It names only others' }),
    unknown: count,
    open: count,
    acknowledged: count,
    actioned: count,
    rejected: z
      .strictObject(
        Object.fromEntries(
          [...REJECTION_REASONS, 'unspecified' as const].map((reason) => [reason, count]),
        ) as Record<(typeof REJECTION_REASONS)[number] | 'unspecified', typeof count>,
      )
      .meta({ description: 'By reason; `unspecified` without one' }),
    expired: count,
  })
  .meta({ id: 'ReporterTotals', description: 'The existing reports of a reporter' });

const precision = z
  .strictObject({
    right: count.meta({
      description:
        'The reports on which the desk acted, deleted ones included. Reports in a feed that the reporter owned when they were answered do not count',
    }),
    wrong: count.meta({
      description: 'Those rejected as `not_ours`, `false_positive` or `insufficient_evidence`',
    }),
    value: share.meta({ description: '`right` divided by `right` and `wrong`' }),
    lower: share.meta({ description: 'The bounds of the Wilson score interval of 95 %' }),
    upper: share,
  })
  .meta({
    id: 'Precision',
    description: 'The share of right reports among those that a desk judged, with its interval',
  });

const judged = {
  totals: reporterTotals,
  precision: precision.nullable().meta({ description: 'Null while no report is judged' }),
};

export const reporterStatistics = z
  .strictObject({
    reporter: z.string().meta({ examples: ['alice'] }),
    ...judged,
    services: list(z.strictObject({ service: slug.meta({ examples: ['ply'] }), ...judged })).meta({
      description: 'The feeds with the most reports first, at most 100; `totals` has all of them',
    }),
    complete,
    successful: z.literal(true),
  })
  .meta({ id: 'ReporterStatistics', description: 'What became of the reports of a reporter' });

const seconds = count.nullable();

const timesTaken = z
  .strictObject({
    median: seconds.meta({ description: 'In seconds, estimated from the buckets; null if none' }),
    p90: seconds.meta({ description: 'Nine of ten were at most this long, about' }),
    count,
    buckets: list(
      z.strictObject({
        upToSeconds: seconds.meta({ description: 'Null: any longer time' }),
        reports: count,
      }),
    ),
  })
  .meta({ id: 'TimesTaken', description: 'The times that a desk took, on the days of the query' });

export const serviceStatistics = z
  .strictObject({
    service: slug.meta({ examples: ['ply'] }),
    asOf: utc,
    backlog: z
      .strictObject({ open: count, acknowledged: count })
      .meta({ description: 'The reports without a final answer' }),
    statuses: statusCounts.meta({ description: 'The current statuses of all reports' }),
    reports: z
      .strictObject({ total: count, confirmed: count, contradicted: count, unknown: count })
      .meta({ description: 'All reports, by confirmation' }),
    misrouted: count.meta({ description: 'Another service answers for the C2' }),
    timeToAcknowledge: timesTaken.meta({
      description:
        'From a report to the first answer of any kind: `acknowledged`, `actioned` or `rejected`',
    }),
    timeToAct: timesTaken.meta({
      description: 'From a report to the first `actioned` or `rejected`',
    }),
    recurrences: z
      .strictObject({
        total: count,
        days: list(
          z.strictObject({
            day,
            count,
          }),
        ).meta({ description: 'Every day, oldest first; the last one is the current day' }),
      })
      .meta({ description: 'Reports of a C2 that had been taken down before' }),
    complete,
    successful: z.literal(true),
  })
  .meta({ id: 'ServiceStatistics', description: 'How a service deals with its reports' });
