import type { Change, Deletion } from '../../../domain/reports/change.ts';
import type {
  ChangeStep,
  ChangeStepsPage,
  ChangesOutcome,
  ChangesQuery,
  ChangesRefusal,
  FeedScope,
  Positions,
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

/** Reads that wait together, in one look at the store. */
export function* listAllChanges(
  asked: readonly ChangesQuery[],
): UnitOfWork<readonly ChangesOutcome[]> {
  const outcomes: ChangesOutcome[] = [];
  for (const one of asked) {
    const page = yield* listSteps(one);
    outcomes.push(
      typeof page === 'string' ? page : { ...page, changes: yield* withReports(page.changes) },
    );
  }
  return outcomes;
}

/** Each with the report as it stands now. */
export function* withReports(steps: readonly ChangeStep[]): UnitOfWork<readonly Change[]> {
  const reports = yield* reportsById(steps.map(({ reportId }) => reportId));
  const deletions = yield* deletionsOf(steps);
  return steps.map((step) => {
    const change = { ...step, report: reports.get(step.reportId) };
    const deletion = step.type === 'deleted' ? deletions.get(step.reportId) : undefined;
    return deletion === undefined ? change : { ...change, deletion };
  });
}

export function* listSteps({
  scope,
  since,
  limit,
}: ChangesQuery): UnitOfWork<ChangeStepsPage | ChangesRefusal> {
  const feeds = yield* feedsOf(scope);
  if (scope !== undefined && feeds.length === 0) return 'unknown-service';
  const wrong = whatIsWrong(feeds, since);
  if (wrong !== undefined) return wrong;
  const readers = feeds.map((feed) => new Reader(feed, since.get(feed.slug) ?? 0));
  const steps = yield* interleave(
    readers.filter(({ isBehind }) => isBehind),
    limit,
  );
  return toPage(readers, steps);
}

function whatIsWrong(feeds: readonly Feed[], since: Positions): 'too-old' | 'ahead' | undefined {
  const bySlug = new Map(feeds.map((feed) => [feed.slug, feed]));
  for (const [slug, sequence] of since) {
    if (sequence > (bySlug.get(slug)?.last ?? 0)) return 'ahead';
  }
  const isTooOld = ({ slug, oldest }: Feed) => (since.get(slug) ?? 0) < oldest - 1;
  return feeds.some(isTooOld) ? 'too-old' : undefined;
}

/** Follows one feed, a few changes at a time. */
class Reader {
  readonly feed: Feed;
  /** The last number that was taken. */
  position: number;
  /** Last first. */
  #ready: ChangeStep[] = [];

  constructor(feed: Feed, since: number) {
    this.feed = feed;
    this.position = since;
  }

  get isBehind(): boolean {
    return this.position < this.feed.last;
  }

  /** The next change, where one is ready. */
  get next(): ChangeStep | undefined {
    return this.#ready.at(-1);
  }

  *take(limit: number): UnitOfWork<void> {
    this.position = this.#ready.pop()?.sequence ?? this.position;
    if (this.#ready.length === 0 && this.isBehind) yield* this.read(limit);
  }

  *read(limit: number): UnitOfWork<void> {
    const { id, slug } = this.feed;
    const found = yield* rows(selectEvents, { serviceId: id, since: this.position, limit });
    const steps = found.map(({ sequence, type, report_id, at }) => ({
      service: slug,
      sequence,
      type,
      reportId: report_id,
      at: new Date(at),
    }));
    this.#ready = steps.reverse();
  }
}

/** The next changes of all of them: in each feed by number, over all by time as far as that goes. */
function* interleave(readers: readonly Reader[], limit: number): UnitOfWork<readonly ChangeStep[]> {
  const steps: ChangeStep[] = [];
  const atOnce = Math.ceil(limit / Math.max(1, readers.length)) + 1;
  for (const reader of readers) yield* reader.read(atOnce);
  const heap = new Heap(
    readers.filter(({ next }) => next !== undefined),
    isEarlier,
  );
  while (steps.length < limit) {
    const reader = heap.first;
    if (reader?.next === undefined) break;
    steps.push(reader.next);
    yield* reader.take(atOnce);
    if (reader.next === undefined) heap.removeFirst();
    else heap.settleFirst();
  }
  return steps;
}

/** By time; at the same time by the name of the feed, so that the order is the same for everybody. */
function isEarlier({ feed: one, next: first }: Reader, { feed: other, next: second }: Reader) {
  const [earlier, later] = [first?.at.getTime() ?? 0, second?.at.getTime() ?? 0];
  return earlier === later ? one.slug < other.slug : earlier < later;
}

function toPage(readers: readonly Reader[], changes: readonly ChangeStep[]): ChangeStepsPage {
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

/** Who deleted what, by report. */
function* deletionsOf(steps: readonly ChangeStep[]): UnitOfWork<ReadonlyMap<string, Deletion>> {
  const ids = steps.flatMap(({ type, reportId }) => (type === 'deleted' ? [reportId] : []));
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

/** Of each feed the oldest changes, up to the first that is to be kept. */
export function* forgetChanges(before: Date, limit: number): UnitOfWork<number> {
  let forgotten = 0;
  yield* lockTask('forget changes');
  for (const feed of yield* feedsOf(undefined)) {
    if (forgotten >= limit) break;
    forgotten += yield* forgetOf(feed, before.toISOString(), limit - forgotten);
  }
  return forgotten;
}

function* forgetOf({ id, oldest }: Feed, before: string, limit: number): UnitOfWork<number> {
  // In most feeds nothing is old enough, and only this one is read.
  const [first] = yield* rows(selectEvents, { serviceId: id, since: oldest - 1, limit: 1 });
  if (first === undefined || first.at >= before) return 0;
  const found = yield* rows(selectEvents, { serviceId: id, since: oldest - 1, limit });
  const kept = found.findIndex(({ at }) => at >= before);
  const old = kept === -1 ? found : found.slice(0, kept);
  const last = old.at(-1);
  if (last === undefined) return 0;
  for (const { type, report_id } of old) {
    if (type === 'deleted') yield* rows(deleteTombstone, { id: report_id });
  }
  yield* rows(deleteEvents, { serviceId: id, before: last.sequence + 1 });
  yield* rows(moveOldest, { serviceId: id, oldest: last.sequence + 1 });
  return old.length;
}
