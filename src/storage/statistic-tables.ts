import type { Generated } from 'kysely';
import type { ReportStatus } from '../domain/reports/desk.ts';

/** The counters of a total. */
export const STATUS_COLUMNS = [
  'open',
  'acknowledged',
  'actioned',
  'rejected',
  'expired',
] as const satisfies readonly ReportStatus[];

/** A scope is the id of a service, or one of the negative scopes of all feeds together. */
export type StatisticTotalTable = { scope: number } & Record<ReportStatus, Generated<number>>;

/** The columns of the time to the first answer, in the order of the buckets. */
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

/** The counters of a day. */
export const DAY_COLUMNS = [
  'reported',
  'actioned',
  'rejected',
  'expired',
  ...ACTED_COLUMNS,
] as const;

export type StatisticDayTable = { scope: number; day: string } & Record<
  (typeof DAY_COLUMNS)[number],
  Generated<number>
>;
