import type {
  Change,
  Deletion,
  FeedChange,
  SerializedChange,
} from '../../../../domain/reports/change.ts';
import type { Positions } from '../../../../domain/reports/cursor.ts';
import type {
  ChangeRecord,
  ChangeRecordsPage,
  ChangesOutcome,
  ChangesPage,
  ChangesQuery,
  ChangesRefusal,
  FeedScope,
  Present,
} from '../../../../ports/feed-store.ts';
import { Heap } from '../../../units/heap.ts';
import { query } from '../../../units/query.ts';
import { each, type UnitOfWork } from '../../../units/unit-of-work.ts';
import { reportsById } from '../serialized-reports.ts';
import { readChangeTexts } from './change-texts.ts';
import { type Feed, feedsOf, readChanges, readRecords } from './feed-log.ts';

export function* headsOf(scope: FeedScope): UnitOfWork<Positions> {
  return new Map((yield* feedsOf(scope)).map(({ slug, last }) => [slug, last]));
}

/** A page of changes with their reports, read in one snapshot. */
export function* listChanges<Content>(
  query: ChangesQuery,
  present: Present<FeedChange, Content>,
): UnitOfWork<ChangesOutcome<Content>> {
  const { scope } = query;
  if (scope !== undefined) return yield* changesOfFeed(scope, query, present);
  const page = yield* readPage<Change>(query, readChanges);
  if (typeof page === 'string') return page;
  return { ...page, changes: present(yield* withDeletions(page.changes)) };
}

/** The changes of one feed need not be merged, so their times are not read. */
function* changesOfFeed<Content>(
  slug: string,
  { since: positions, limit }: ChangesQuery,
  present: Present<FeedChange, Content>,
): UnitOfWork<ChangesOutcome<Content>> {
  const [feed] = yield* feedsOf(slug);
  if (feed === undefined) return 'unknown-service';
  const refusal = refusalOf([feed], positions);
  if (refusal !== undefined) return refusal;
  const since = positions.get(slug) ?? 0;
  const found = since < feed.last ? yield* readChangeTexts(feed, { since, limit }) : [];
  const next = found.at(-1)?.sequence ?? since;
  return {
    changes: present(yield* withChangedReports(found)),
    next: new Map([[slug, next]]),
    heads: new Map([[slug, feed.last]]),
    hasMore: next < feed.last,
  };
}

function* withChangedReports(
  found: readonly (ChangeRecord | SerializedChange)[],
): UnitOfWork<readonly FeedChange[]> {
  const records = found.filter((one): one is ChangeRecord => !('text' in one));
  const changes = (yield* withReports(records)).values();
  // One for each record.
  return found.map((one) => ('text' in one ? one : (changes.next().value as Change)));
}

export function listChangeRecords(
  query: ChangesQuery,
): UnitOfWork<ChangeRecordsPage | ChangesRefusal> {
  return readPage(query, readRecords);
}

/** Adds the current report to each change, or who deleted it. */
export function* withReports(records: readonly ChangeRecord[]): UnitOfWork<readonly Change[]> {
  const reports = yield* reportsById(records.map(({ reportId }) => reportId));
  const changes = records.map((record) => ({ ...record, report: reports.get(record.reportId) }));
  return yield* withDeletions(changes);
}

/** The next changes of a feed, with their reports or without. */
type ReadLog<Item> = (feed: Feed, since: number, limit: number) => UnitOfWork<readonly Item[]>;

function* readPage<Item extends ChangeRecord>(
  { scope, since, limit }: ChangesQuery,
  readLog: ReadLog<Item>,
): UnitOfWork<ChangesOutcome<readonly Item[]>> {
  const feeds = yield* feedsOf(scope);
  if (scope !== undefined && feeds.length === 0) return 'unknown-service';
  const refusal = refusalOf(feeds, since);
  if (refusal !== undefined) return refusal;
  const readers = feeds.map((feed) => new FeedReader(feed, since.get(feed.slug) ?? 0, readLog));
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
class FeedReader<Item extends ChangeRecord> {
  readonly feed: Feed;
  readonly #readLog: ReadLog<Item>;
  /** The sequence of the last change taken. */
  position: number;
  /** Read and not taken yet, last first. */
  #buffer: Item[] = [];

  constructor(feed: Feed, since: number, readLog: ReadLog<Item>) {
    this.feed = feed;
    this.#readLog = readLog;
    this.position = since;
  }

  get isBehind(): boolean {
    return this.position < this.feed.last;
  }

  /** The next change in the buffer. */
  get next(): Item | undefined {
    return this.#buffer.at(-1);
  }

  *take(limit: number): UnitOfWork<void> {
    this.position = this.#buffer.pop()?.sequence ?? this.position;
    if (this.#buffer.length === 0 && this.isBehind) yield* this.read(limit);
  }

  *read(limit: number): UnitOfWork<void> {
    this.#buffer = (yield* this.#readLog(this.feed, this.position, limit)).toReversed();
  }
}

/**
 * Merges the next changes of all feeds by time; within a feed the order is that of the sequences.
 */
function* interleave<Item extends ChangeRecord>(
  readers: readonly FeedReader<Item>[],
  limit: number,
): UnitOfWork<readonly Item[]> {
  const records: Item[] = [];
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
  { feed: one, next: first }: FeedReader<ChangeRecord>,
  { feed: other, next: second }: FeedReader<ChangeRecord>,
) {
  const [earlier, later] = [first?.at.getTime() ?? 0, second?.at.getTime() ?? 0];
  return earlier === later ? one.slug < other.slug : earlier < later;
}

function toPage<Item extends ChangeRecord>(
  readers: readonly FeedReader<Item>[],
  changes: readonly Item[],
): ChangesPage<readonly Item[]> {
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

function* withDeletions(changes: readonly Change[]): UnitOfWork<readonly Change[]> {
  const deletions = yield* deletionsOf(changes);
  if (deletions.size === 0) return changes;
  return changes.map((change) => {
    const deletion = change.type === 'deleted' ? deletions.get(change.reportId) : undefined;
    return deletion === undefined ? change : { ...change, deletion };
  });
}

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
