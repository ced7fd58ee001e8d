import type { FeedScope, FeedState } from '../../../ports/feed-store.ts';
import { query, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { fromServiceRow } from './services.ts';

const selectState = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').selectAll().where('slug', '=', parameter.slug),
);

const selectStates = query()((db) => db.selectFrom('service').selectAll().orderBy('slug'));

export interface NumberedFeed extends FeedState {
  readonly id: number;
}

/** The feeds of the scope; none if the slug is unknown. */
export function* feedStates(scope: FeedScope): UnitOfWork<readonly NumberedFeed[]> {
  const found =
    scope === undefined ? yield* rows(selectStates, {}) : yield* rows(selectState, { slug: scope });
  return found.map((feed) => ({
    id: feed.id,
    service: fromServiceRow(feed),
    head: feed.last_sequence,
    changedAt: feed.last_added > 0 ? new Date(feed.last_added).toISOString() : feed.created_at,
  }));
}
