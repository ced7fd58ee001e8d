import { type Kysely, sql } from 'kysely';
import { DESK_STATUSES, type DeskStatus } from '../../../domain/reports/desk.ts';
import type { Tables } from '../../tables.ts';
import { query } from '../../unit-of-work.ts';
import { SERIALIZED_COLUMNS, type SerializedTuple } from '../reports/serialized-reports.ts';
import type { Order } from './list-queries.ts';

interface FeedRange {
  slug: string;
  /** Exclusive. */
  after: number;
  limit: number;
}

interface Branch {
  readonly status: DeskStatus;
  readonly order: Order;
}

/**
 * The reports of a feed that have not expired, in the order of creation. The index has them by
 * status. SQLite merges the statuses while it reads, so it reads no more than a page. PostgreSQL
 * does so only with some plans, so there each status has its own limit.
 */
function feedQueryOf(order: Order) {
  return query<FeedRange, readonly [...SerializedTuple, number: number]>('arrays')(
    (db, parameter, dialect) => {
      // Both select the same columns; only their types differ.
      const branchOf =
        dialect === 'sqlite' ? reportsWith : (firstWith as never as typeof reportsWith);
      return DESK_STATUSES.map((status) => branchOf(db, parameter, { status, order }))
        .reduce((some, others) => some.unionAll(others))
        .orderBy('number', order)
        .limit(parameter.limit);
    },
  );
}

function reportsWith(db: Kysely<Tables>, parameter: FeedRange, { status, order }: Branch) {
  return reportsOf(db, parameter, order).where('report.status', '=', sql.lit(status));
}

/** The status is bound: for some literals PostgreSQL prefers the primary key. */
function firstWith(db: Kysely<Tables>, parameter: FeedRange, { status, order }: Branch) {
  const first = reportsOf(db, parameter, order)
    .where('report.status', '=', status)
    .orderBy('report.number', order)
    .limit(parameter.limit);
  return db.selectFrom(first.as('first')).selectAll();
}

function reportsOf(db: Kysely<Tables>, { slug, after }: FeedRange, order: Order) {
  return db
    .selectFrom('report')
    .select(SERIALIZED_COLUMNS)
    .select('report.number')
    .where('report.service_id', '=', db.selectFrom('service').select('id').where('slug', '=', slug))
    .where('report.number', order === 'asc' ? '>' : '<', after);
}

export const FEED_QUERIES = { asc: feedQueryOf('asc'), desc: feedQueryOf('desc') };
