import { type RawBuilder, sql } from 'kysely';
import { publishedUntil } from '../../../../domain/reports/publication.ts';
import type { FeedScope } from '../../../../ports/feed-store.ts';
import type {
  PublishedPage,
  PublishedQuery,
  PublishedVersion,
} from '../../../../ports/published-versions.ts';
import { Heap } from '../../../units/heap.ts';
import { type Dialect, ONE, query } from '../../../units/query.ts';
import { isPresent } from '../../../units/unindexed-columns.ts';
import { row, rows, type UnitOfWork } from '../../../units/unit-of-work.ts';
import {
  REPORT_COLUMNS,
  type ReportTuple,
  TOMBSTONE_COLUMNS,
  type TombstoneTuple,
  toExported,
  toWithdrawn,
} from './version-rows.ts';

/** The limit on the versions of one statement, which may have several kilobytes each. */
const MAX_PER_STATEMENT = 100;

/**
 * The condition of the index on PostgreSQL. SQLite would read the index from there, not from the
 * parameter.
 */
export const isAdded = (dialect: Dialect) =>
  dialect === 'sqlite' ? sql<boolean>`1` : sql<boolean>`report.added_at > 0`;

/** The feeds, and when the next report and the next tombstone of each were added. */
const selectHeads = query<{ after: number }>()((db, parameter, dialect) =>
  db
    .selectFrom('service')
    .select(['service.id', 'service.slug'])
    .select(({ selectFrom }) => [
      selectFrom('report')
        .select('report.added_at')
        .whereRef('report.service_id', '=', 'service.id')
        .where(isAdded(dialect))
        .where('report.added_at', '>', parameter.after)
        .orderBy('report.added_at')
        .limit(ONE)
        .as('report'),
      selectFrom('tombstone')
        .select('tombstone.added_at')
        .whereRef('tombstone.service_id', '=', 'service.id')
        .where('tombstone.added_at', '>', parameter.after)
        .orderBy('tombstone.added_at')
        .limit(ONE)
        .as('tombstone'),
    ])
    .where('service.last_added', '>', parameter.after)
    .orderBy('service.slug'),
);

/** The feed, the time of its last change, and the clock that gave it. */
const selectFeed = query<{ slug: string; now: number }>()((db, parameter, dialect) =>
  db
    .selectFrom('service')
    .select(['id', 'last_added as last', clockMs(parameter.now, dialect).as('clock')])
    .where('slug', '=', parameter.slug),
);

function clockMs(now: number, dialect: Dialect): RawBuilder<number> {
  if (dialect === 'sqlite') return sql`${now}`;
  return sql`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;
}

/** Both ends are exclusive. */
interface Period {
  readonly after: number;
  readonly before: number;
}

interface Range extends Period {
  readonly serviceId: number;
  readonly limit: number;
}

const selectReports = query<Range, ReportTuple>('arrays')((db, parameter, dialect) =>
  db
    .selectFrom('report')
    .select(REPORT_COLUMNS)
    .where('report.service_id', '=', parameter.serviceId)
    .where(isAdded(dialect))
    .where('report.added_at', '>', parameter.after)
    .where('report.added_at', '<', parameter.before)
    .orderBy('report.added_at')
    .limit(parameter.limit),
);

const selectTombstones = query<Range, TombstoneTuple>('arrays')((db, parameter) =>
  db
    .selectFrom('tombstone')
    .select(TOMBSTONE_COLUMNS)
    .where('tombstone.service_id', '=', parameter.serviceId)
    .where('tombstone.added_at', '>', parameter.after)
    .where('tombstone.added_at', '<', parameter.before)
    .orderBy('tombstone.added_at')
    .limit(parameter.limit),
);

const selectReport = query<{ id: string }, readonly [...ReportTuple, slug: string]>('arrays')(
  (db, parameter) =>
    db
      .selectFrom('report')
      .innerJoin('service', 'service.id', 'report.service_id')
      .select(REPORT_COLUMNS)
      .select('service.slug')
      .where('report.id', '=', parameter.id),
);

const selectTombstone = query<{ id: string }, readonly [...TombstoneTuple, slug: string]>('arrays')(
  (db, parameter) =>
    db
      .selectFrom('tombstone')
      .innerJoin('service', 'service.id', 'tombstone.service_id')
      .select(TOMBSTONE_COLUMNS)
      .select('service.slug')
      .where('tombstone.report_id', '=', parameter.id)
      .where(isPresent('tombstone.added_at')),
);

const selectLast = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').select('last_added as last').where('slug', '=', parameter.slug),
);

const selectLastOfAll = query()((db) =>
  db.selectFrom('service').select(({ fn }) => fn.max('last_added').as('last')),
);

/**
 * On PostgreSQL, a change that is not committed yet was added after its transaction started, and
 * the transaction had its id before. The start of a transaction is hidden from other roles; none
 * takes minutes.
 */
const selectOpenFrom = query()((db, _, dialect) =>
  db.selectNoFrom(
    (dialect === 'sqlite'
      ? sql<number | null>`null`
      : sql<number>`floor(1000 * extract(epoch from least(statement_timestamp(), (
          select min(coalesce(xact_start, statement_timestamp() - interval '5 minutes'))
          from pg_stat_activity
          where datname = current_database() and backend_type = 'client backend'
            and backend_xid is not null
        ))))::bigint`
    ).as('open'),
  ),
);

/**
 * The versions of all feeds that were added before this time have come, and are committed. Their
 * transactions are in every later snapshot.
 */
export function* openAdditionsFrom(now: Date): UnitOfWork<number> {
  const open = (yield* row(selectOpenFrom, {}))?.open;
  if (typeof open === 'number') return open;
  const last = (yield* row(selectLastOfAll, {}))?.last ?? 0;
  return publishedUntil(last, now.getTime()) + 1;
}

/** `before` is exclusive. It is needed if the page is over all feeds. */
export function* pageOfVersions(
  { scope, after: since, limit, now }: PublishedQuery,
  before = 0,
): UnitOfWork<PublishedPage> {
  const after = since?.getTime() ?? 0;
  const sources =
    scope === undefined
      ? yield* sourcesOfAll({ after, before })
      : yield* sourcesOf(scope, after, now.getTime());
  const size = Math.min(MAX_PER_STATEMENT, Math.ceil(limit / Math.max(1, sources.length)) + 1);
  for (const source of sources) if (source.next === undefined) yield* source.read(size);
  const heap = new Heap(
    sources.filter(({ next }) => next !== undefined),
    isEarlier,
  );
  const versions: PublishedVersion[] = [];
  let last: number | undefined;
  while (heap.first !== undefined) {
    const source = heap.first;
    if (versions.length >= limit && source.next !== last) break;
    last = source.next;
    versions.push(yield* source.take(size));
    if (source.next === undefined) heap.removeFirst();
    else heap.settleFirst();
  }
  return { versions, hasMore: heap.first !== undefined };
}

/** By time, then by feed, so that every caller gets the same order. */
function isEarlier(one: VersionSource, other: VersionSource): boolean {
  const [first = 0, second = 0] = [one.next, other.next];
  return first === second ? one.feed.slug < other.feed.slug : first < second;
}

interface Feed {
  readonly id: number;
  readonly slug: string;
}

type ReadVersions = (feed: Feed, range: Range) => UnitOfWork<readonly PublishedVersion[]>;

function* readReports({ slug }: Feed, range: Range): UnitOfWork<readonly PublishedVersion[]> {
  return (yield* rows(selectReports, range)).map((tuple) => toExported(slug, tuple));
}

function* readTombstones({ slug }: Feed, range: Range): UnitOfWork<readonly PublishedVersion[]> {
  return (yield* rows(selectTombstones, range)).map((tuple) => toWithdrawn(slug, tuple));
}

/** Reads the reports or the tombstones of one feed, a few at a time. */
class VersionSource {
  readonly feed: Feed;
  /** When the next version was added; `undefined` at the end, or before the first read. */
  next: number | undefined;
  readonly #read: ReadVersions;
  #period: Period;
  /** Read and not taken yet, last first. */
  #buffer: PublishedVersion[] = [];
  /** Whether nothing follows the buffer. */
  #isRead = false;

  constructor(feed: Feed, read: ReadVersions, period: Period, next?: number) {
    this.feed = feed;
    this.#read = read;
    this.#period = period;
    this.next = next;
  }

  *read(limit: number): UnitOfWork<void> {
    const range = { ...this.#period, serviceId: this.feed.id, limit };
    this.#buffer = (yield* this.#read(this.feed, range)).toReversed();
    this.#isRead = this.#buffer.length < limit;
    this.next = this.#buffer.at(-1)?.addedAt.getTime();
  }

  /** The next version, which exists. */
  *take(limit: number): UnitOfWork<PublishedVersion> {
    if (this.#buffer.length === 0) yield* this.read(limit);
    const version = this.#buffer.pop();
    if (version === undefined) throw new Error('a version was read after the last one');
    this.#period = { ...this.#period, after: version.addedAt.getTime() };
    if (this.#buffer.length === 0 && !this.#isRead) yield* this.read(limit);
    else this.next = this.#buffer.at(-1)?.addedAt.getTime();
    return version;
  }
}

function* sourcesOf(
  slug: string,
  after: number,
  now: number,
): UnitOfWork<readonly VersionSource[]> {
  const feed = yield* row(selectFeed, { slug, now });
  if (feed === undefined) return [];
  const period = { after, before: publishedUntil(feed.last, feed.clock) + 1 };
  const named = { id: feed.id, slug };
  return [readReports, readTombstones].map((read) => new VersionSource(named, read, period));
}

/** A feed is not read before its next version is in the page. */
function* sourcesOfAll(period: Period): UnitOfWork<readonly VersionSource[]> {
  const heads = yield* rows(selectHeads, { after: period.after });
  return heads.flatMap((head) =>
    [
      { read: readReports, next: head.report },
      { read: readTombstones, next: head.tombstone },
    ].flatMap(({ read, next }) =>
      next === null || next >= period.before ? [] : new VersionSource(head, read, period, next),
    ),
  );
}

export function* findVersion(
  scope: FeedScope,
  id: string,
): UnitOfWork<PublishedVersion | undefined> {
  const isInScope = (slug: string) => scope === undefined || scope === slug;
  const report = yield* row(selectReport, { id });
  if (report !== undefined)
    return isInScope(report[27]) ? toExported(report[27], report) : undefined;
  const tombstone = yield* row(selectTombstone, { id });
  return tombstone && isInScope(tombstone[12]) ? toWithdrawn(tombstone[12], tombstone) : undefined;
}

export function* newestAddition(scope: FeedScope): UnitOfWork<Date | undefined> {
  const { last } = (scope === undefined
    ? yield* row(selectLastOfAll, {})
    : yield* row(selectLast, { slug: scope })) ?? { last: 0 };
  return last ? new Date(last) : undefined;
}
