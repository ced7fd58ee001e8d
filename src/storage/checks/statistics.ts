import { type RawBuilder, sql } from 'kysely';
import { SCOPES_OF_ALL } from '../sql/statistics/scopes.ts';
import { utcDay } from '../sql/statistics/utc-day.ts';
import { ACTED_COLUMNS, DAY_COLUMNS, STATUS_COLUMNS } from '../statistic-tables.ts';
import type { Dialect } from '../unit-of-work.ts';
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
      ${minusOneFor(DAY_COLUMNS, (column) => sql.lit(column === 'reported'))}
    from report where ${COUNTED}
    union all
    select service_id, ${utcDay('status_change.at', dialect)},
      ${minusOneFor(DAY_COLUMNS, (column) => sql`status_change.status = ${sql.lit(column)}`)}
    from status_change inner join report on report.number = status_change.number
    where ${COUNTED} and status_change.is_repeat = 0
    union all
    select service_id, ${utcDay('acted_at', dialect)},
      ${minusOneFor(DAY_COLUMNS, (column) => sql`acted_bucket = ${sql.lit(bucketOf(column))}`)}
    from report where ${COUNTED} and acted_at is not null`,
};

const COUNTERS: readonly Counters[] = [
  {
    table: 'statistic_total',
    key: ['scope'],
    counts: STATUS_COLUMNS,
    recount: () => sql`
      select service_id, ${minusOneFor(STATUS_COLUMNS, (status) => sql`status = ${sql.lit(status)}`)}
      from report where ${COUNTED}`,
  },
  DAYS,
  {
    table: 'statistic_family',
    key: ['scope', 'name'],
    counts: ['reports'],
    recount: () => sql`select service_id, name, -1 from report where ${COUNTED}`,
  },
];

function bucketOf(column: string): number {
  return (ACTED_COLUMNS as readonly string[]).indexOf(column);
}

/** A column for each name: -1 where the condition holds. */
function minusOneFor(
  names: readonly string[],
  condition: (name: string) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql`case when ${condition(name)} then -1 else 0 end`));
}

/** The counters of services equal a count of their reports. */
function ofServices({ table, key, counts, recount }: Counters): ForbiddenRows {
  return forbiddenRows(
    `${table}, not the number of reports: scope and difference`,
    (dialect) => sql`
      select ${sumsOf(key, counts)} from (
        select ${columns([...key, ...counts])} from ${sql.table(table)} where scope > 0
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

export const statistics = forbiddenRowsCheck('statistics of feeds', [
  ...COUNTERS.map(ofServices),
  ...COUNTERS.map(ofAll),
]);
