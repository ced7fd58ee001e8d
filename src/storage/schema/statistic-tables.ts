import type { Generated } from 'kysely';
import type { ReportStatus } from '../../domain/reports/desk.ts';
import { type JudgementCount, OUTCOMES, type ReporterCounts } from '../../domain/trust/outcome.ts';

/** The counters of current statuses. */
export const STATUS_COLUMNS = [
  'open',
  'acknowledged',
  'actioned',
  'rejected',
  'expired',
] as const satisfies readonly ReportStatus[];

/** The counters of a total. */
export const TOTAL_COLUMNS = [
  ...STATUS_COLUMNS,
  'confirmed',
  'contradicted',
  'misrouted',
  'recurrences',
] as const;

export type TotalColumn = (typeof TOTAL_COLUMNS)[number];

/** A scope is the id of a service, or one of the negative scopes of all feeds together. */
export type StatisticTotalTable = { scope: number } & Record<TotalColumn, Generated<number>>;

/** The columns of the time to the first final answer, in the order of the buckets. */
export const ACTED_COLUMNS = [
  'acted_0',
  'acted_1',
  'acted_2',
  'acted_3',
  'acted_4',
  'acted_5',
  'acted_6',
  'acted_7',
  'acted_8',
  'acted_9',
  'acted_10',
  'acted_11',
  'acted_12',
] as const;

/** The columns of the time to the first answer of any kind. */
export const ACKNOWLEDGED_COLUMNS = [
  'acknowledged_0',
  'acknowledged_1',
  'acknowledged_2',
  'acknowledged_3',
  'acknowledged_4',
  'acknowledged_5',
  'acknowledged_6',
  'acknowledged_7',
  'acknowledged_8',
  'acknowledged_9',
  'acknowledged_10',
  'acknowledged_11',
  'acknowledged_12',
] as const;

/** The counters of a day. */
export const DAY_COLUMNS = [
  'reported',
  'actioned',
  'rejected',
  'expired',
  'recurrences',
  ...ACTED_COLUMNS,
  ...ACKNOWLEDGED_COLUMNS,
] as const;

export type DayColumn = (typeof DAY_COLUMNS)[number];

export type StatisticDayTable = { scope: number; day: string } & Record<
  DayColumn,
  Generated<number>
>;

/** The counters of a reporter in a feed. */
export const REPORTER_COLUMNS = [
  ...OUTCOMES,
  'confirmed',
  'contradicted',
  'judged_right',
  'judged_wrong',
] as const satisfies readonly (keyof ReporterCounts)[];

export type StatisticReporterTable = { reporter_id: string; service_id: number } & Record<
  keyof ReporterCounts,
  Generated<number>
>;

/** The judgements of the deleted reports of a reporter in a feed. No recount changes them. */
export type DeletedJudgementTable = { reporter_id: string; service_id: number } & Record<
  JudgementCount,
  Generated<number>
>;
