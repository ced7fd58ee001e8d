import type { FeedScope, FeedState } from '../../../ports/feed-store.ts';
import { query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { fromServiceRow } from './services.ts';

const selectState = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').selectAll().where('slug', '=', parameter.slug),
);

const selectStates = query()((db) => db.selectFrom('service').selectAll().orderBy('slug'));

/** No feed is ever deleted, so every change of a feed raises the sum of the sequences. */
const selectVersion = query()((db) =>
  db
    .selectFrom('service')
    .select((service) => [
      service.fn.sum<number | null>('last_sequence').as('heads'),
      service.selectFrom('installation').select('access_version').as('access_version'),
    ]),
);

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

/** The same until a feed gets another change, or accounts, tokens or services change. */
export function* versionOfFeeds(): UnitOfWork<string> {
  const found = yield* row(selectVersion, {});
  return `${found?.access_version} ${found?.heads}`;
}
