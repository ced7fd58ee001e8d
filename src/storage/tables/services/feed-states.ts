import type { Kysely } from 'kysely';
import { publishedUntil } from '../../../domain/reports/publication.ts';
import type { FeedScope, FeedState } from '../../../ports/feed-store.ts';
import type { ServiceRow, Tables } from '../../schema/tables.ts';
import { query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { fromServiceRow } from './services.ts';

/** With the time of the last change by the clock; `null` if the change log no longer has it. */
function states(db: Kysely<Tables>) {
  return db
    .selectFrom('service')
    .leftJoin('event', (join) =>
      join
        .onRef('event.service_id', '=', 'service.id')
        .onRef('event.sequence', '=', 'service.last_sequence'),
    )
    .selectAll('service')
    .select('event.at as changed_at');
}

const selectState = query<{ slug: string }>()((db, parameter) =>
  states(db).where('service.slug', '=', parameter.slug),
);

const selectStates = query()((db) => states(db).orderBy('service.slug'));

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
    changedAt: changedAt(feed),
  }));
}

/**
 * The time that the change got may not have come. This one has, and it stays the same until the
 * next change, like the exports that state it.
 */
function changedAt(feed: ServiceRow & { readonly changed_at: string | null }): string {
  const { last_added: last, changed_at: at, created_at: createdAt } = feed;
  if (last === 0) return createdAt;
  return new Date(at === null ? last : publishedUntil(last, Date.parse(at))).toISOString();
}

/** The same until a feed gets another change, or accounts, tokens or services change. */
export function* versionOfFeeds(): UnitOfWork<string> {
  const found = yield* row(selectVersion, {});
  return `${found?.access_version} ${found?.heads}`;
}
