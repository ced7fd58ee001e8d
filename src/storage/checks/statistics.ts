import { type RawBuilder, sql } from 'kysely';
import { REJECTION_REASONS } from '../../domain/trust/outcome.ts';
import {
  ACKNOWLEDGED_COLUMNS,
  ACTED_COLUMNS,
  DAY_COLUMNS,
  REPORTER_COLUMNS,
  TOTAL_COLUMNS,
  type TotalColumn,
} from '../schema/statistic-tables.ts';
import { SCOPES_OF_ALL } from '../tables/statistics/scopes.ts';
import type { Dialect } from '../units/query.ts';
import { utcDay } from '../units/utc-day.ts';
import { type ForbiddenRows, forbiddenRows, forbiddenRowsCheck } from './check.ts';

/** Old reports are counted newest first. */
const COUNTED = sql`
  report.number >= coalesce((select position from back_fill where name = 'statistics'), 0)`;

interface Counters {
  readonly table: string;
  readonly key: readonly string[];
  readonly counts: readonly string[];
  /** Rows with the key and the negative counts, for what the counters of services count. */
  readonly recount: (dialect: Dialect) => RawBuilder<unknown>;
}

const DAYS: Counters = {
  table: 'statistic_day',
  key: ['scope', 'day'],
  counts: DAY_COLUMNS,
  recount: (dialect) => sql`
    select service_id, ${utcDay('reported_at', dialect)},
      ${minusOneFor(DAY_COLUMNS, createdColumn)}
    from report where ${COUNTED}
    union all
    select service_id, ${utcDay('status_change.at', dialect)},
      ${minusOneFor(DAY_COLUMNS, (column) => sql`status_change.status = ${sql.lit(column)}`)}
    from status_change inner join report on report.number = status_change.number
    where ${COUNTED} and status_change.is_repeat = 0
    union all
    select service_id, ${utcDay('acted_at', dialect)},
      ${minusOneFor(DAY_COLUMNS, bucketColumn('acted_bucket', ACTED_COLUMNS))}
    from report where ${COUNTED} and acted_at is not null
    union all
    select service_id, ${utcDay('acknowledged_at', dialect)},
      ${minusOneFor(DAY_COLUMNS, bucketColumn('acknowledged_bucket', ACKNOWLEDGED_COLUMNS))}
    from report where ${COUNTED} and acknowledged_at is not null`,
};

const REPORTERS: Counters = {
  table: 'statistic_reporter',
  key: ['reporter_id', 'service_id'],
  counts: REPORTER_COLUMNS,
  recount: () => sql`
    select reporter_id, service_id, ${minusOneFor(REPORTER_COLUMNS, reporterColumn)}
    from report where ${COUNTED}`,
};

const COUNTERS: readonly Counters[] = [
  {
    table: 'statistic_total',
    key: ['scope'],
    counts: TOTAL_COLUMNS,
    recount: () => sql`
      select service_id, ${minusOneFor(TOTAL_COLUMNS, totalColumn)}
      from report inner join service on service.id = report.service_id where ${COUNTED}`,
  },
  DAYS,
  {
    table: 'statistic_family',
    key: ['scope', 'name'],
    counts: ['reports'],
    recount: () => sql`select service_id, name, -1 from report where ${COUNTED}`,
  },
];

function createdColumn(column: string): RawBuilder<unknown> {
  if (column === 'recurrences') return sql`recurrence <> 0`;
  return sql.lit(column === 'reported');
}

function bucketColumn(bucket: string, columns: readonly string[]) {
  return (column: string) => sql`${sql.ref(bucket)} = ${sql.lit(columns.indexOf(column))}`;
}

function totalColumn(column: TotalColumn): RawBuilder<unknown> {
  if (column === 'misrouted') return sql`routed_to is not null and routed_to <> service.slug`;
  if (column === 'recurrences') return sql`recurrence <> 0`;
  if (column === 'confirmed' || column === 'contradicted')
    return sql`confirmation = ${sql.lit(column)}`;
  return sql`status = ${sql.lit(column)}`;
}

function reporterColumn(column: (typeof REPORTER_COLUMNS)[number]): RawBuilder<unknown> {
  if (column === 'confirmed' || column === 'contradicted')
    return sql`confirmation = ${sql.lit(column)}`;
  if (column === 'judged_right' || column === 'judged_wrong')
    return sql`judgement = ${sql.lit(column === 'judged_right' ? 'right' : 'wrong')}`;
  if (column === 'unspecified')
    return sql`status = 'rejected' and coalesce(status_reason, '') not in (${reasons()})`;
  if (isRejectionReason(column))
    return sql`status = 'rejected' and status_reason = ${sql.lit(column)}`;
  return sql`status = ${sql.lit(column)}`;
}

function reasons(): RawBuilder<unknown> {
  return sql.join(REJECTION_REASONS.map((reason) => sql.lit(reason)));
}

function isRejectionReason(column: string): boolean {
  return REJECTION_REASONS.some((reason) => reason === column);
}

/** A column for each name: -1 where the condition holds. */
function minusOneFor<Name extends string>(
  names: readonly Name[],
  condition: (name: Name) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql`case when ${condition(name)} then -1 else 0 end`));
}

/** The counters of services equal a count of their reports. */
function ofServices({ table, key, counts, recount }: Counters): ForbiddenRows {
  return forbiddenRows(
    `${table}, not the number of reports: ${key[0] ?? ''} and difference`,
    (dialect) => sql`
      select ${sumsOf(key, counts)} from (
        select ${columns([...key, ...counts])} from ${sql.table(table)}
          where ${key[0] === 'scope' ? sql`scope > 0` : sql`1 = 1`}
        union all ${recount(dialect)}
      ) as counted
      ${differing(key, counts)}`,
  );
}

/** The counters of all feeds together equal the sums of those of services. */
function ofAll({ table, key, counts }: Counters): ForbiddenRows {
  const others = key.filter((column) => column !== 'scope');
  return forbiddenRows(
    `${table} of all feeds, not the sum of the feeds: scope and difference`,
    () => sql`
      select ${sumsOf(key, counts)} from (
        select ${columns([...key, ...counts])} from ${sql.table(table)} where scope < 0
        union all
        select ${sql.join([sql`-1 - (scope % ${sql.lit(SCOPES_OF_ALL)})`, ...others.map((one) => sql.ref(one))])},
          ${sql.join(counts.map((count) => sql`-${sql.ref(count)}`))}
        from ${sql.table(table)} where scope > 0
      ) as counted
      ${differing(key, counts)}`,
  );
}

function columns(names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.ref(name)));
}

function sumsOf(key: readonly string[], counts: readonly string[]): RawBuilder<unknown> {
  return sql.join([
    ...key.map((name) => sql.ref(name)),
    ...counts.map((count) => sql`sum(${sql.ref(count)}) as ${sql.ref(count)}`),
  ]);
}

function differing(key: readonly string[], counts: readonly string[]): RawBuilder<unknown> {
  const sums = counts.map((count) => sql`sum(${sql.ref(count)}) <> 0`);
  return sql`group by ${columns(key)} having ${sql.join(sums, sql` or `)}`;
}

/** Tombstones are deleted after a while; what they said of a reporter stays. */
const DELETED_JUDGEMENTS = forbiddenRows(
  'deleted_judgement, fewer than the tombstones have: reporter, service and difference',
  () => sql`
    select reporter_id, service_id, sum(judged_right) as judged_right, sum(judged_wrong) as judged_wrong
    from (
      select reporter_id, service_id, judged_right, judged_wrong from deleted_judgement
      union all
      select reporter_id, service_id, case when judgement = 'right' then -1 else 0 end,
        case when judgement = 'wrong' then -1 else 0 end
      from tombstone where judgement is not null
    ) as counted
    group by reporter_id, service_id having sum(judged_right) < 0 or sum(judged_wrong) < 0`,
);

export const statistics = forbiddenRowsCheck('statistics of feeds', [
  ...COUNTERS.map(ofServices),
  ...COUNTERS.map(ofAll),
  ofServices(REPORTERS),
  DELETED_JUDGEMENTS,
]);
