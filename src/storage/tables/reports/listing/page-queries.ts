import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { DESK_STATUSES } from '../../../../domain/reports/desk.ts';
import type { Tables } from '../../../schema/tables.ts';
import { type Dialect, type Query, query } from '../../../units/query.ts';
import { type TextTuple, textOrNumber } from '../report-texts.ts';
import { type Order, UNEXPIRED } from './list-queries.ts';

/**
 * Pages that are merged from few ranges of an index, which most readers ask for. Two statements
 * find and read such a page, and no number leaves the database.
 */
export interface PageQueries<Range> {
  /** The last report of a full page, and the one after it. */
  readonly end: Query<Range & { skip: number }, PageEntry>;
  /** The reports of the page, for `readTexts`. */
  readonly texts: Query<Range, TextTuple>;
}

interface PageEntry {
  number: number;
  /** Empty in pages by number. */
  time: string;
}

interface Length {
  limit: number;
}

type Numbers = SelectQueryBuilder<Tables, 'report', PageEntry>;

/** How the reports of a list are found. */
interface PageRule<Range> {
  readonly columns: readonly ('number' | 'time')[];
  /** The numbers of the reports in each range, in any order. */
  readonly ranges: (
    db: Kysely<Tables>,
    parameter: Range,
    options: { readonly order: Order; readonly dialect: Dialect },
  ) => readonly Numbers[];
}

function pageQueriesOf<Range extends { slug: string }>(
  rule: PageRule<Range>,
  order: Order,
): PageQueries<Range & Length> {
  return {
    end: query<Range & Length & { skip: number }>()((db, parameter, dialect) =>
      numbersOf(db, rule, { parameter, order, dialect }).limit(sql.lit(2)).offset(parameter.skip),
    ),
    texts: query<Range & Length, TextTuple>('arrays')((db, parameter, dialect) => {
      const page = numbersOf(db, rule, { parameter, order, dialect }).limit(parameter.limit);
      const texts = db
        .selectFrom(page.as('page'))
        .crossJoin('report')
        .select(textOrNumber(sql`cast(${parameter.slug} as text)`, dialect))
        .whereRef('report.number', '=', 'page.number');
      return rule.columns.reduce((some, name) => some.orderBy(`page.${name}`, order), texts);
    }),
  };
}

interface NumbersOptions<Range> {
  readonly parameter: Range & Length;
  readonly order: Order;
  readonly dialect: Dialect;
}

/**
 * SQLite merges the ranges while it reads, so it reads no more than a page. PostgreSQL does so only
 * with some plans, so there each range has its own limit: that of the page and one more.
 */
function numbersOf<Range>(
  db: Kysely<Tables>,
  { columns, ranges }: PageRule<Range>,
  { parameter, order, dialect }: NumbersOptions<Range>,
): Numbers {
  const found = ranges(db, parameter, { order, dialect });
  const limited = (range: Numbers) =>
    db
      .selectFrom(
        inOrderOf(range, columns, order).limit(sql<number>`${parameter.limit} + 1`).as('first'),
      )
      .selectAll() as unknown as Numbers;
  const all = dialect === 'sqlite' ? found : found.map(limited);
  return inOrderOf(
    all.reduce((some, others) => some.unionAll(others)),
    columns,
    order,
  );
}

function inOrderOf(numbers: Numbers, columns: PageRule<never>['columns'], order: Order): Numbers {
  return columns.reduce((some, name) => some.orderBy(name, order), numbers);
}

function reportsOf(db: Kysely<Tables>, slug: string) {
  return db
    .selectFrom('report')
    .where(
      'report.service_id',
      '=',
      db.selectFrom('service').select('id').where('slug', '=', slug),
    );
}

interface FeedRange {
  slug: string;
  /** Exclusive. */
  after: number;
}

/** The reports of a feed that have not expired, in the order of creation. */
const WHOLE_FEED: PageRule<FeedRange> = {
  columns: ['number'],
  // The index has them by status. SQLite would plan the statement again for each bound status;
  // PostgreSQL prefers the primary key for some literals.
  ranges: (db, { slug, after }, { order, dialect }) =>
    DESK_STATUSES.map((status) =>
      reportsOf(db, slug)
        .select(['report.number', sql<string>`''`.as('time')])
        .where('report.status', '=', dialect === 'sqlite' ? sql.lit(status) : status)
        .where('report.number', order === 'asc' ? '>' : '<', after),
    ),
};

interface Period {
  slug: string;
  from: string;
  /** Exclusive. */
  to: string;
  /** The end of the previous page, exclusive. Other reports may have the same time. */
  lastTime: string;
  lastNumber: number;
}

/** The reports of a period that have not expired, by time. */
const BY_TIME: PageRule<Period> = {
  columns: ['time', 'number'],
  ranges: (db, { slug, from, to, lastTime, lastNumber }, { order }) => {
    const reports = reportsOf(db, slug)
      .select(['report.number', 'report.reported_at as time'])
      .where(UNEXPIRED);
    return [
      reports
        .where('report.reported_at', '=', lastTime)
        .where('report.number', order === 'asc' ? '>' : '<', lastNumber),
      reports.where('report.reported_at', '>=', from).where('report.reported_at', '<', to),
    ];
  },
};

export const FEED_PAGES = {
  asc: pageQueriesOf(WHOLE_FEED, 'asc'),
  desc: pageQueriesOf(WHOLE_FEED, 'desc'),
};

export const TIME_PAGES = {
  asc: pageQueriesOf(BY_TIME, 'asc'),
  desc: pageQueriesOf(BY_TIME, 'desc'),
};
