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

/**
 * The reports of a feed that have not expired, in the order of creation. The index has them by
 * status. Both databases merge the statuses while they read, so they read no more than a page.
 */
function feedQueryOf(order: Order) {
  return query<FeedRange, readonly [...SerializedTuple, number: number]>('arrays')(
    (db, parameter) =>
      DESK_STATUSES.map((status) => withStatus(db, parameter, { status, order }))
        .reduce((some, others) => some.unionAll(others))
        .orderBy('number', order)
        .limit(parameter.limit),
  );
}

function withStatus(
  db: Kysely<Tables>,
  { slug, after }: FeedRange,
  { status, order }: { readonly status: DeskStatus; readonly order: Order },
) {
  return db
    .selectFrom('report')
    .select(SERIALIZED_COLUMNS)
    .select('report.number')
    .where('report.service_id', '=', db.selectFrom('service').select('id').where('slug', '=', slug))
    .where('report.status', '=', sql.lit(status))
    .where('report.number', order === 'asc' ? '>' : '<', after);
}

export const FEED_QUERIES = { asc: feedQueryOf('asc'), desc: feedQueryOf('desc') };
