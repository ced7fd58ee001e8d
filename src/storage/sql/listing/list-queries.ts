import { type RawBuilder, sql } from 'kysely';
import { type Dialect, ONE, type Query, query } from '../../unit-of-work.ts';
import { textsOf } from '../json-arrays.ts';

/**
 * The ways to walk through the reports of a feed in the order of creation, each behind an index, each forwards and
 * backwards. What else a filter wants is compared with every report on the way.
 */
export type Way =
  | 'c2'
  | 'confidence'
  /** All reports of all feeds, by the primary key. */
  | 'every'
  | 'host'
  | 'port'
  | 'reporter'
  | 'sha256'
  | 'status'
  | 'tag';

/** What the way itself asks for; `null` where it does not. */
export interface Key {
  text: string | null;
  int: number | null;
}

/** What is compared on the way; `null`: anything will do. */
export interface Rest {
  /** `null`: all but the expired. */
  status: string | null;
  host: string | null;
  port: number | null;
  sha256: string | null;
  reporter: string | null;
  minConfidence: number | null;
  from: string | null;
  to: string | null;
  /** A list. */
  tags: string | null;
}

export interface Stretch extends Key {
  serviceId: number;
  /** Behind this number, up to that one. */
  after: number;
  upTo: number;
}

/** As it stands in the indexes: an argument would not be recognised. */
const UNEXPIRED = sql<boolean>`report.status <> 'expired'`;

const WAYS: Readonly<Record<Exclude<Way, 'every'>, (parameter: Key) => RawBuilder<boolean>>> = {
  c2: ({ text, int }) => sql`report.host = ${text} and report.port = ${int}`,
  confidence: ({ int }) => sql`${UNEXPIRED} and report.confidence = ${int}`,
  host: ({ text }) => sql`${UNEXPIRED} and report.host = ${text}`,
  port: ({ int }) => sql`${UNEXPIRED} and report.port = ${int}`,
  reporter: ({ text }) => sql`${UNEXPIRED} and report.reported_by = ${text}`,
  sha256: ({ text }) => sql`report.sha256 = ${text}`,
  status: ({ text }) => sql`report.status = ${text}`,
  tag: ({ text }) => sql`report_tag.tag = ${text}`,
};

function fits(parameter: Rest, dialect: Dialect): RawBuilder<boolean> {
  // In this order: PostgreSQL learns from the test what kind of value is meant.
  const either = (wanted: number | string | null, test: RawBuilder<unknown>) =>
    sql`(${test} or ${wanted} is null)`;
  const missing = sql`
    select 1 from ${textsOf(parameter.tags as string, dialect)} as wanted
    where not exists (
      select 1 from report_tag as had
      where had.service_id = report.service_id and had.tag = wanted.value and had.number = report.number
    )`;
  const tests = [
    sql`(report.status = ${parameter.status} or (${parameter.status} is null and report.status <> 'expired'))`,
    either(parameter.host, sql`report.host = ${parameter.host}`),
    either(parameter.port, sql`report.port = ${parameter.port}`),
    either(parameter.sha256, sql`report.sha256 = ${parameter.sha256}`),
    either(parameter.reporter, sql`report.reported_by = ${parameter.reporter}`),
    either(parameter.minConfidence, sql`report.confidence >= ${parameter.minConfidence}`),
    either(parameter.from, sql`report.reported_at >= ${parameter.from}`),
    either(parameter.to, sql`report.reported_at < ${parameter.to}`),
    either(parameter.tags, sql`not exists (${missing})`),
  ];
  return sql<boolean>`${sql.join(tests, sql` and `)}`;
}

export type Order = 'asc' | 'desc';

export interface WayQueries {
  /** Those that fit, in order. */
  readonly find: Query<Stretch & Rest & { limit: number }, { number: number }>;
  /** So many further on, whether they fit or not. */
  readonly skip: Query<Stretch & { skip: number }, { number: number }>;
}

/** How many of the next reports fit, of at most `limit` that are looked at, and the number of the last of those. */
export type CountQuery = Query<
  Stretch & Rest & { limit: number },
  { looked: number; fitting: number | null; last: number | null }
>;

function stretch(way: Way, parameter: Stretch, order: Order): RawBuilder<boolean> {
  const table = sql.ref(way === 'tag' ? 'report_tag' : 'report');
  const bounds =
    order === 'asc'
      ? sql`${table}.number > ${parameter.after} and ${table}.number <= ${parameter.upTo}`
      : sql`${table}.number < ${parameter.after} and ${table}.number >= ${parameter.upTo}`;
  if (way === 'every') return sql`${bounds}`;
  return sql`${table}.service_id = ${parameter.serviceId} and ${WAYS[way](parameter)} and ${bounds}`;
}

function queriesOf(way: Way, order: Order): WayQueries {
  const number = way === 'tag' ? ('report_tag.number' as const) : ('report.number' as const);
  return {
    find: query<Stretch & Rest & { limit: number }>()((db, parameter, dialect) =>
      db
        .selectFrom('report')
        .$if(way === 'tag', (from) =>
          from.innerJoin('report_tag', 'report_tag.number', 'report.number'),
        )
        .select('report.number')
        .where(stretch(way, parameter, order))
        .where(fits(parameter, dialect))
        .orderBy(sql.ref(number), order)
        .limit(parameter.limit),
    ),
    skip: query<Stretch & { skip: number }>()((db, parameter) =>
      db
        .selectFrom(way === 'tag' ? 'report_tag' : 'report')
        .select('number')
        .where(stretch(way, parameter, order))
        .orderBy('number', order)
        .limit(ONE)
        .offset(parameter.skip),
    ),
  };
}

/** In the order of the index, and no further than the limit: what one statement reads is bounded. */
function countQueryOf(way: Way): CountQuery {
  const number = way === 'tag' ? ('report_tag.number' as const) : ('report.number' as const);
  return query<Stretch & Rest & { limit: number }>()((db, parameter, dialect) =>
    db
      .selectFrom((from) =>
        from
          .selectFrom('report')
          .$if(way === 'tag', (joined) =>
            joined.innerJoin('report_tag', 'report_tag.number', 'report.number'),
          )
          .select('report.number')
          .select(sql<number>`case when ${fits(parameter, dialect)} then 1 else 0 end`.as('fits'))
          .where(stretch(way, parameter, 'asc'))
          .orderBy(sql.ref(number), 'asc')
          .limit(parameter.limit)
          .as('looked'),
      )
      .select(({ fn }) => [
        fn.countAll<number>().as('looked'),
        fn.sum<number | null>('looked.fits').as('fitting'),
        fn.max<number | null>('looked.number').as('last'),
      ]),
  );
}

function bothOrders(way: Way): Readonly<Record<Order, WayQueries>> {
  return { asc: queriesOf(way, 'asc'), desc: queriesOf(way, 'desc') };
}

export const WAY_QUERIES: Readonly<Record<Way, Readonly<Record<Order, WayQueries>>>> = {
  c2: bothOrders('c2'),
  confidence: bothOrders('confidence'),
  every: bothOrders('every'),
  host: bothOrders('host'),
  port: bothOrders('port'),
  reporter: bothOrders('reporter'),
  sha256: bothOrders('sha256'),
  status: bothOrders('status'),
  tag: bothOrders('tag'),
};

export const COUNT_QUERIES: Readonly<Record<Way, CountQuery>> = {
  c2: countQueryOf('c2'),
  confidence: countQueryOf('confidence'),
  every: countQueryOf('every'),
  host: countQueryOf('host'),
  port: countQueryOf('port'),
  reporter: countQueryOf('reporter'),
  sha256: countQueryOf('sha256'),
  status: countQueryOf('status'),
  tag: countQueryOf('tag'),
};

export interface Period {
  serviceId: number;
  from: string;
  to: string;
  limit: number;
}

export interface Moment {
  serviceId: number;
  at: string;
  after: number;
  limit: number;
}

interface TimeQueries {
  /** Those of a period, by time. */
  readonly find: Query<Period, { number: number; time: string }>;
  /** The others of a moment, behind one of them. */
  readonly same: Query<Moment, { number: number; time: string }>;
}

function timeQueriesOf(order: Order): TimeQueries {
  return {
    find: query<Period>()((db, parameter) =>
      db
        .selectFrom('report')
        .select(['number', 'reported_at as time'])
        .where('service_id', '=', parameter.serviceId)
        .where(UNEXPIRED)
        .where('reported_at', '>=', parameter.from)
        .where('reported_at', '<', parameter.to)
        .orderBy('reported_at', order)
        .orderBy('number', order)
        .limit(parameter.limit),
    ),
    same: query<Moment>()((db, parameter) =>
      db
        .selectFrom('report')
        .select(['number', 'reported_at as time'])
        .where('service_id', '=', parameter.serviceId)
        .where(UNEXPIRED)
        .where('reported_at', '=', parameter.at)
        .where('number', order === 'asc' ? '>' : '<', parameter.after)
        .orderBy('number', order)
        .limit(parameter.limit),
    ),
  };
}

export const TIME_QUERIES = { asc: timeQueriesOf('asc'), desc: timeQueriesOf('desc') };
