import type { Change, Deletion } from '../../../domain/reports/change.ts';
import type { Positions } from '../../../domain/reports/cursor.ts';
import type {
  ChangeRecord,
  ChangeRecordsPage,
  ChangesOutcome,
  ChangesQuery,
  ChangesRefusal,
  FeedScope,
} from '../../../ports/feed-store.ts';
import { each, lockTask, query, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { Heap } from '../listing/heap.ts';
import { reportsById } from '../reports/report-rows.ts';

interface Feed {
  readonly id: number;
  readonly slug: string;
  readonly last: number;
  readonly oldest: number;
}

const FEED_COLUMNS = ['id', 'slug', 'last_sequence as last', 'oldest_sequence as oldest'] as const;

const selectFeed = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').select(FEED_COLUMNS).where('slug', '=', parameter.slug),
);

const selectFeeds = query()((db) => db.selectFrom('service').select(FEED_COLUMNS).orderBy('slug'));

const selectEvents = query<{ serviceId: number; since: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('event')
    .select(['sequence', 'type', 'report_id', 'at'])
    .where('service_id', '=', parameter.serviceId)
    .where('sequence', '>', parameter.since)
    .orderBy('sequence')
    .limit(parameter.limit),
);

function* feedsOf(scope: FeedScope): UnitOfWork<readonly Feed[]> {
  return scope === undefined
    ? yield* rows(selectFeeds, {})
    : yield* rows(selectFeed, { slug: scope });
}

export function* headsOf(scope: FeedScope): UnitOfWork<Positions> {
  return new Map((yield* feedsOf(scope)).map(({ slug, last }) => [slug, last]));
}

/** The pages of concurrent calls, read in one snapshot. */
export function* listChangePages(
  queries: readonly ChangesQuery[],
): UnitOfWork<readonly ChangesOutcome[]> {
  const outcomes: ChangesOutcome[] = [];
  for (const one of queries) {
    const page = yield* listChangeRecords(one);
    outcomes.push(
      typeof page === 'string' ? page : { ...page, changes: yield* withReports(page.changes) },
    );
  }
  return outcomes;
}

/** Adds the current report to each change, or who deleted it. */
export function* withReports(records: readonly ChangeRecord[]): UnitOfWork<readonly Change[]> {
  const reports = yield* reportsById(records.map(({ reportId }) => reportId));
  const deletions = yield* deletionsOf(records);
  return records.map((record) => {
    const change = { ...record, report: reports.get(record.reportId) };
    const deletion = record.type === 'deleted' ? deletions.get(record.reportId) : undefined;
    return deletion === undefined ? change : { ...change, deletion };
  });
}

export function* listChangeRecords({
  scope,
  since,
  limit,
}: ChangesQuery): UnitOfWork<ChangeRecordsPage | ChangesRefusal> {
  const feeds = yield* feedsOf(scope);
  if (scope !== undefined && feeds.length === 0) return 'unknown-service';
  const refusal = refusalOf(feeds, since);
  if (refusal !== undefined) return refusal;
  const readers = feeds.map((feed) => new FeedReader(feed, since.get(feed.slug) ?? 0));
  const records = yield* interleave(
    readers.filter(({ isBehind }) => isBehind),
    limit,
  );
  return toPage(readers, records);
}

function refusalOf(feeds: readonly Feed[], since: Positions): 'too-old' | 'ahead' | undefined {
  const bySlug = new Map(feeds.map((feed) => [feed.slug, feed]));
  for (const [slug, sequence] of since) {
    if (sequence > (bySlug.get(slug)?.last ?? 0)) return 'ahead';
  }
  const isTooOld = ({ slug, oldest }: Feed) => (since.get(slug) ?? 0) < oldest - 1;
  return feeds.some(isTooOld) ? 'too-old' : undefined;
}

/** Reads the changes of one feed, a few at a time. */
class FeedReader {
  readonly feed: Feed;
  /** The sequence of the last change taken. */
  position: number;
  /** Read and not taken yet, last first. */
  #buffer: ChangeRecord[] = [];

  constructor(feed: Feed, since: number) {
    this.feed = feed;
    this.position = since;
  }

  get isBehind(): boolean {
    return this.position < this.feed.last;
  }

  /** The next change in the buffer. */
  get next(): ChangeRecord | undefined {
    return this.#buffer.at(-1);
  }

  *take(limit: number): UnitOfWork<void> {
    this.position = this.#buffer.pop()?.sequence ?? this.position;
    if (this.#buffer.length === 0 && this.isBehind) yield* this.read(limit);
  }

  *read(limit: number): UnitOfWork<void> {
    const { id, slug } = this.feed;
    const found = yield* rows(selectEvents, { serviceId: id, since: this.position, limit });
    const records = found.map(({ sequence, type, report_id, at }) => ({
      service: slug,
      sequence,
      type,
      reportId: report_id,
      at: new Date(at),
    }));
    this.#buffer = records.reverse();
  }
}

/**
 * Merges the next changes of all feeds by time; within a feed the order is that of the sequences.
 */
function* interleave(
  readers: readonly FeedReader[],
  limit: number,
): UnitOfWork<readonly ChangeRecord[]> {
  const records: ChangeRecord[] = [];
  const batchSize = Math.ceil(limit / Math.max(1, readers.length)) + 1;
  for (const reader of readers) yield* reader.read(batchSize);
  const heap = new Heap(
    readers.filter(({ next }) => next !== undefined),
    isEarlier,
  );
  while (records.length < limit) {
    const reader = heap.first;
    if (reader?.next === undefined) break;
    records.push(reader.next);
    yield* reader.take(batchSize);
    if (reader.next === undefined) heap.removeFirst();
    else heap.settleFirst();
  }
  return records;
}

/** By time, then by slug, so that every caller gets the same order. */
function isEarlier(
  { feed: one, next: first }: FeedReader,
  { feed: other, next: second }: FeedReader,
) {
  const [earlier, later] = [first?.at.getTime() ?? 0, second?.at.getTime() ?? 0];
  return earlier === later ? one.slug < other.slug : earlier < later;
}

function toPage(
  readers: readonly FeedReader[],
  changes: readonly ChangeRecord[],
): ChangeRecordsPage {
  return {
    changes,
    next: new Map(readers.map(({ feed, position }) => [feed.slug, position])),
    heads: new Map(readers.map(({ feed }) => [feed.slug, feed.last])),
    hasMore: readers.some(({ isBehind }) => isBehind),
  };
}

const selectTombstone = query<{ id: string }>()((db, parameter) =>
  db
    .selectFrom('tombstone')
    .select(['deleted_by', 'reporter_id'])
    .where('report_id', '=', parameter.id),
);

/** The deletions among the changes, by report. */
function* deletionsOf(records: readonly ChangeRecord[]): UnitOfWork<ReadonlyMap<string, Deletion>> {
  const ids = records.flatMap(({ type, reportId }) => (type === 'deleted' ? [reportId] : []));
  const found = yield* each(
    selectTombstone,
    ids.map((id) => ({ id })),
  );
  return new Map(
    ids.flatMap((id, index) => {
      const tombstone = found[index]?.[0];
      if (tombstone === undefined) return [];
      const { deleted_by: by, reporter_id } = tombstone;
      return [[id, { by, reporterId: reporter_id ?? undefined }]];
    }),
  );
}

const deleteEvents = query<{ serviceId: number; before: number }>()((db, parameter) =>
  db
    .deleteFrom('event')
    .where('service_id', '=', parameter.serviceId)
    .where('sequence', '<', parameter.before),
);

const deleteTombstone = query<{ id: string }>()((db, parameter) =>
  db.deleteFrom('tombstone').where('report_id', '=', parameter.id),
);

const moveOldest = query<{ serviceId: number; oldest: number }>()((db, parameter) =>
  db
    .updateTable('service')
    .set({ oldest_sequence: parameter.oldest })
    .where('id', '=', parameter.serviceId),
);

/** Deletes the oldest changes of each feed, up to the first that is not older than `before`. */
export function* deleteOldChanges(before: Date, limit: number): UnitOfWork<number> {
  let deleted = 0;
  yield* lockTask('forget changes');
  for (const feed of yield* feedsOf(undefined)) {
    if (deleted >= limit) break;
    deleted += yield* deleteOldChangesOf(feed, before.toISOString(), limit - deleted);
  }
  return deleted;
}

function* deleteOldChangesOf(
  { id, oldest }: Feed,
  before: string,
  limit: number,
): UnitOfWork<number> {
  // In most feeds the oldest change is recent, so only that row is read.
  const [first] = yield* rows(selectEvents, { serviceId: id, since: oldest - 1, limit: 1 });
  if (first === undefined || first.at >= before) return 0;
  const found = yield* rows(selectEvents, { serviceId: id, since: oldest - 1, limit });
  const firstKept = found.findIndex(({ at }) => at >= before);
  const old = firstKept === -1 ? found : found.slice(0, firstKept);
  const last = old.at(-1);
  if (last === undefined) return 0;
  for (const { type, report_id } of old) {
    if (type === 'deleted') yield* rows(deleteTombstone, { id: report_id });
  }
  yield* rows(deleteEvents, { serviceId: id, before: last.sequence + 1 });
  yield* rows(moveOldest, { serviceId: id, oldest: last.sequence + 1 });
  return old.length;
}
