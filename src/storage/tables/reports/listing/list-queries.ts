import { type RawBuilder, sql } from 'kysely';
import { textRows } from '../../../units/json-arrays.ts';
import { type Dialect, ONE, type Query, query } from '../../../units/query.ts';
import { unindexedNumber } from '../../../units/unindexed-columns.ts';
import { isOfFile } from '../file-key.ts';

/**
 * The indexes through which the reports of a feed are read in the order of creation, forwards and
 * backwards. The other conditions of a filter are tested on every row that the index yields. Names,
 * domains, ports, confidences, confirmations and routes have no index: lists by them scan the feed.
 */
export type AccessPath =
  | 'c2'
  /** All reports of all feeds, by the primary key. */
  | 'every'
  /** The reports of a host that is in `host_report`. */
  | 'host'
  /** The few reports of another host, through the index of C2s, in the order of ports. */
  | 'rareHost'
  | 'reporter'
  | 'sha256'
  | 'status'
  | 'tag';

/** The value of the indexed column; `null` in the member of the other type. */
export interface IndexKey {
  text: string | null;
  int: number | null;
}

/** Conditions that are tested on every row; `null`: none. */
export interface RowFilter {
  /** `null`: all but `expired`. */
  status: string | null;
  /** Folded. */
  name: string | null;
  host: string | null;
  /** The name after a dot. */
  domain: string | null;
  port: number | null;
  sha256: string | null;
  reporter: string | null;
  minConfidence: number | null;
  confirmation: string | null;
  /** 0 or 1. */
  misrouted: number | null;
  from: string | null;
  to: string | null;
  /** A JSON array; the report must have all of them. */
  tags: string | null;
}

export interface IndexRange extends IndexKey {
  serviceId: number;
  /** Exclusive. */
  after: number;
  /** Inclusive. */
  upTo: number;
}

/** A literal, as in the partial indexes: a parameter would not match an index. */
export const UNEXPIRED = sql<boolean>`report.status <> 'expired'`;

const KEY_CONDITIONS: Readonly<
  Record<
    Exclude<AccessPath, 'every'>,
    (parameter: IndexKey, dialect: Dialect) => RawBuilder<boolean>
  >
> = {
  c2: ({ text, int }) => sql`report.host = ${text} and report.port = ${int}`,
  host: ({ text }) => sql`host_report.host = ${text}`,
  rareHost: ({ text }) => sql`report.host = ${text}`,
  reporter: ({ text }) => sql`${UNEXPIRED} and report.reported_by = ${text}`,
  sha256: ({ text }, dialect) => isOfFile(text, dialect),
  status: ({ text }) => sql`report.status = ${text}`,
  tag: ({ text }) => sql`report_tag.tag = ${text}`,
};

/** In another feed than that of the service that answers for the C2. */
export const IS_MISROUTED = sql`case
  when report.routed_to is not null
    and report.routed_to <> (select slug from service where service.id = report.service_id)
  then 1 else 0 end`;

/**
 * Whether the report has the name, which is folded, in any spelling. Both databases fold the
 * letters of ASCII only, as `foldName` does.
 */
export function isNamed(
  name: string | null,
  dialect: Dialect,
  table: 'report' | 'named' = 'report',
): RawBuilder<boolean> {
  const column = sql.ref(`${table}.name`);
  const folded = dialect === 'sqlite' ? sql`lower(${column})` : sql`lower(${column} collate "C")`;
  return sql`${folded} = ${name}`;
}

/**
 * Whether the host ends in the suffix of a domain. With `like`, SQLite would plan the statement
 * again at each execution.
 */
export function isInDomain(suffix: string | null): RawBuilder<boolean> {
  return sql`substr('.' || report.host, length(report.host) + 2 - length(${suffix})) = ${suffix}`;
}

/** The dot makes the name itself match, and no name that merely ends in it. */
export function domainSuffix(name: string | undefined): string | null {
  return name === undefined ? null : `.${name}`;
}

/**
 * The tags are tested on the row of the index, where it has the number: rows of reports that lack
 * a tag are then not read.
 */
function matchesFilter(
  path: AccessPath,
  parameter: RowFilter,
  dialect: Dialect,
): RawBuilder<boolean> {
  const table = sql.ref(tableOf(path));
  // The test comes first: PostgreSQL infers the parameter's type from it.
  const optional = (wanted: number | string | null, test: RawBuilder<unknown>) =>
    sql`(${test} or ${wanted} is null)`;
  const missing = sql`
    select 1 from ${textRows(parameter.tags as string, dialect)} as wanted
    where not exists (
      select 1 from report_tag as existing
      where existing.service_id = ${table}.service_id and existing.tag = wanted.value and existing.number = ${table}.number
    )`;
  const tests = [
    sql`(report.status = ${parameter.status} or (${parameter.status} is null and report.status <> 'expired'))`,
    optional(parameter.name, isNamed(parameter.name, dialect)),
    optional(parameter.host, sql`report.host = ${parameter.host}`),
    optional(parameter.domain, isInDomain(parameter.domain)),
    optional(parameter.port, sql`report.port = ${parameter.port}`),
    optional(parameter.sha256, sql`report.sha256 = ${parameter.sha256}`),
    optional(parameter.reporter, sql`report.reported_by = ${parameter.reporter}`),
    optional(parameter.minConfidence, sql`report.confidence >= ${parameter.minConfidence}`),
    optional(parameter.confirmation, sql`report.confirmation = ${parameter.confirmation}`),
    optional(parameter.misrouted, sql`${IS_MISROUTED} = ${parameter.misrouted}`),
    optional(parameter.from, sql`report.reported_at >= ${parameter.from}`),
    optional(parameter.to, sql`report.reported_at < ${parameter.to}`),
    optional(parameter.tags, sql`not exists (${missing})`),
  ];
  return sql<boolean>`${sql.join(tests, sql` and `)}`;
}

export type Order = 'asc' | 'desc';

export interface PathQueries {
  /** The reports that match the filter, in order. */
  readonly find: Query<IndexRange & RowFilter & { limit: number }, { number: number }>;
  /** The report `skip` rows further in the index, whether it matches or not. */
  readonly skip: Query<IndexRange & { skip: number }, { number: number }>;
}

/** How many of the next `limit` reports were scanned and match, and the last number. */
export type CountQuery = Query<
  IndexRange & RowFilter & { limit: number },
  { scanned: number; matched: number | null; last: number | null }
>;

/** The table whose index is read. */
function tableOf(path: AccessPath): 'host_report' | 'report' | 'report_tag' {
  if (path === 'tag') return 'report_tag';
  return path === 'host' ? 'host_report' : 'report';
}

/** For a rare host an expression, so that its reports are not looked for among all numbers. */
function numberOf(path: AccessPath): RawBuilder<unknown> {
  return path === 'rareHost'
    ? unindexedNumber('report.number')
    : sql`${sql.ref(`${tableOf(path)}.number`)}`;
}

/** The order of the index. */
function orderOf(path: AccessPath): RawBuilder<unknown> {
  return path === 'rareHost' ? sql`report.port` : numberOf(path);
}

function inRange(
  path: AccessPath,
  parameter: IndexRange,
  { order, dialect }: { readonly order: Order; readonly dialect: Dialect },
): RawBuilder<boolean> {
  const table = sql.ref(tableOf(path));
  const number = numberOf(path);
  const bounds =
    order === 'asc'
      ? sql`${number} > ${parameter.after} and ${number} <= ${parameter.upTo}`
      : sql`${number} < ${parameter.after} and ${number} >= ${parameter.upTo}`;
  if (path === 'every') return sql`${bounds}`;
  return sql`${table}.service_id = ${parameter.serviceId} and ${KEY_CONDITIONS[path](parameter, dialect)} and ${bounds}`;
}

function queriesOf(path: AccessPath, order: Order): PathQueries {
  return {
    find: query<IndexRange & RowFilter & { limit: number }>()((db, parameter, dialect) =>
      db
        .selectFrom('report')
        .$if(path === 'tag', (from) =>
          from.innerJoin('report_tag', 'report_tag.number', 'report.number'),
        )
        .$if(path === 'host', (from) =>
          from.innerJoin('host_report', 'host_report.number', 'report.number'),
        )
        .select('report.number')
        .where(inRange(path, parameter, { order, dialect }))
        .where(matchesFilter(path, parameter, dialect))
        .orderBy(orderOf(path), order)
        .limit(parameter.limit),
    ),
    skip: query<IndexRange & { skip: number }>()((db, parameter, dialect) =>
      db
        .selectFrom(tableOf(path))
        .select('number')
        .where(inRange(path, parameter, { order, dialect }))
        .orderBy(orderOf(path), order)
        .limit(ONE)
        .offset(parameter.skip),
    ),
  };
}

/** Scans at most `limit` rows of the index, so the work of one statement is bounded. */
function countQueryOf(path: AccessPath): CountQuery {
  return query<IndexRange & RowFilter & { limit: number }>()((db, parameter, dialect) =>
    db
      .selectFrom((from) =>
        from
          .selectFrom('report')
          .$if(path === 'tag', (joined) =>
            joined.innerJoin('report_tag', 'report_tag.number', 'report.number'),
          )
          .$if(path === 'host', (joined) =>
            joined.innerJoin('host_report', 'host_report.number', 'report.number'),
          )
          .select('report.number')
          .select(
            sql<number>`case when ${matchesFilter(path, parameter, dialect)} then 1 else 0 end`.as(
              'matches',
            ),
          )
          .where(inRange(path, parameter, { order: 'asc', dialect }))
          .orderBy(orderOf(path), 'asc')
          .limit(parameter.limit)
          .as('scanned'),
      )
      .select(({ fn }) => [
        fn.countAll<number>().as('scanned'),
        fn.sum<number | null>('scanned.matches').as('matched'),
        fn.max<number | null>('scanned.number').as('last'),
      ]),
  );
}

function bothOrders(path: AccessPath): Readonly<Record<Order, PathQueries>> {
  return { asc: queriesOf(path, 'asc'), desc: queriesOf(path, 'desc') };
}

export const PATH_QUERIES: Readonly<Record<AccessPath, Readonly<Record<Order, PathQueries>>>> = {
  c2: bothOrders('c2'),
  every: bothOrders('every'),
  host: bothOrders('host'),
  rareHost: bothOrders('rareHost'),
  reporter: bothOrders('reporter'),
  sha256: bothOrders('sha256'),
  status: bothOrders('status'),
  tag: bothOrders('tag'),
};

/** All reports of a range, in order, without reading a row. */
function allQueryOf(path: AccessPath, order: Order) {
  return query<IndexRange & { limit: number }>()((db, parameter, dialect) =>
    db
      .selectFrom('report')
      .select('number')
      .where(inRange(path, parameter, { order, dialect }))
      .orderBy('number', order)
      .limit(parameter.limit),
  );
}

function allInBothOrders(path: AccessPath) {
  return { asc: allQueryOf(path, 'asc'), desc: allQueryOf(path, 'desc') };
}

/** For the indexes that can answer a filter alone: they have no expired reports, or one status. */
export const ALL_QUERIES: Readonly<
  Partial<Record<AccessPath, ReturnType<typeof allInBothOrders>>>
> = { reporter: allInBothOrders('reporter'), status: allInBothOrders('status') };

export const COUNT_QUERIES: Readonly<Record<AccessPath, CountQuery>> = {
  c2: countQueryOf('c2'),
  every: countQueryOf('every'),
  host: countQueryOf('host'),
  rareHost: countQueryOf('rareHost'),
  reporter: countQueryOf('reporter'),
  sha256: countQueryOf('sha256'),
  status: countQueryOf('status'),
  tag: countQueryOf('tag'),
};
