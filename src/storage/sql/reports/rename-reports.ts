import { sql } from 'kysely';
import { nameReport, type Report } from '../../../domain/reports/report.ts';
import type { Serializers } from '../../../ports/store.ts';
import type { ReportRow } from '../../tables.ts';
import {
  all,
  each,
  lockFiles,
  lockTask,
  ONE,
  query,
  row,
  rows,
  type UnitOfWork,
} from '../../unit-of-work.ts';
import { appendEvents, type FeedPosition, SequenceAllocator } from '../feeds/events.ts';
import { lockFeeds } from '../feeds/feed-lock.ts';
import { familiesBySha256 } from '../samples/sample-rows.ts';
import { deleteUnusedNames, SearchTerms } from '../search/search-terms.ts';
import { StatisticCounts } from '../statistics/counters.ts';
import { countedReports } from '../statistics/fill-statistics.ts';
import { CURRENT_C2_COUNTS } from './c2-history.ts';
import { isOfFile } from './file-key.ts';
import { fromRow, READ_COLUMNS, type ReadRow } from './report-rows.ts';

/** Reports are named after the malware family in the analysis of their file. */

/**
 * At most this many reports of a file are renamed in the transaction of its analysis, which are
 * nearly always all. The others follow in slices, each in its own transaction.
 */
const MAX_RENAMED_WITH_ANALYSIS = 20;

/** In the order of the index, so that no more than `limit` rows are read. */
const selectFirstOfFile = query<{ sha256: string; limit: number }>()((db, parameter, dialect) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(READ_COLUMNS)
    .select('service.slug')
    .where(isOfFile(parameter.sha256, dialect))
    .orderBy('report.service_id')
    .orderBy('report.number')
    .limit(parameter.limit),
);

/** Most analyses have no report of their file, so this runs first: 4 instead of 48 µs. */
const selectAnyOfFile = query<{ sha256: string }>()((db, parameter, dialect) =>
  db.selectFrom('report').select('number').where(isOfFile(parameter.sha256, dialect)).limit(ONE),
);

const selectNextOfFile = query<PendingRename & { limit: number }>()((db, parameter, dialect) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(READ_COLUMNS)
    .select('service.slug')
    .where(isOfFile(parameter.sha256, dialect))
    .where('report.service_id', '=', parameter.service_id)
    .where('report.number', '>', parameter.number)
    .orderBy('report.number')
    .limit(parameter.limit),
);

const selectNextFeed = query<{ sha256: string; service_id: number }>()((db, parameter, dialect) =>
  db
    .selectFrom('report')
    .select('service_id')
    .where(isOfFile(parameter.sha256, dialect))
    .where('service_id', '>', parameter.service_id)
    .orderBy('service_id')
    .limit(ONE),
);

const selectSlug = query<{ id: number }>()((db, parameter) =>
  db.selectFrom('service').select('slug').where('id', '=', parameter.id),
);

interface PendingRename {
  readonly sha256: string;
  readonly service_id: number;
  readonly number: number;
}

const selectPending = query()((db) =>
  db.selectFrom('pending_rename').selectAll().orderBy('sha256').limit(ONE),
);

const selectPendingOf = query<{ sha256: string }>()((db, parameter) =>
  db.selectFrom('pending_rename').selectAll().where('sha256', '=', parameter.sha256),
);

const putPending = query<PendingRename>()((db, parameter) =>
  db
    .insertInto('pending_rename')
    .values(all(parameter, ['sha256', 'service_id', 'number']))
    .onConflict((conflict) =>
      conflict.column('sha256').doUpdateSet({
        service_id: sql<number>`excluded.service_id`,
        number: sql<number>`excluded.number`,
      }),
    ),
);

const deletePending = query<{ sha256: string }>()((db, parameter) =>
  db.deleteFrom('pending_rename').where('sha256', '=', parameter.sha256),
);

type NamedColumns = 'id' | 'name' | 'sequence' | 'added_at' | 'updated_at' | 'body';

const renameReport = query<Pick<ReportRow, NamedColumns>>()((db, parameter) =>
  db
    .updateTable('report')
    .set({
      ...all(parameter, ['name', 'sequence', 'added_at', 'updated_at', 'body']),
      ...CURRENT_C2_COUNTS,
    })
    .where('id', '=', parameter.id),
);

/** Reports that an analysis may rename in its transaction. */
export interface LockedReports {
  /** The files that have reports. No further report can be added while the files are locked. */
  readonly files: ReadonlySet<string>;
  readonly feeds: ReadonlySet<string>;
  /** What the renames change in the counters. The caller writes it as the last step of the unit. */
  readonly counts: StatisticCounts;
}

/**
 * The first step of writing analyses of these files. Concurrent creates of reports of the files
 * wait, so that they use the new names. Locks the feeds whose reports are renamed with the
 * analyses, in one order.
 */
export function* lockReportsOf(hashes: readonly string[]): UnitOfWork<LockedReports> {
  const distinct = [...new Set(hashes)];
  yield* lockFiles(distinct);
  const any = yield* each(
    selectAnyOfFile,
    distinct.map((sha256) => ({ sha256 })),
  );
  const files = distinct.filter((_, index) => any[index]?.[0] !== undefined);
  const found = yield* each(
    selectFirstOfFile,
    files.map((sha256) => ({ sha256, limit: MAX_RENAMED_WITH_ANALYSIS })),
  );
  const feeds = new Set(found.flat().map(({ slug }) => slug));
  yield* lockFeeds(feeds);
  return { files: new Set(files), feeds, counts: new StatisticCounts() };
}

export interface NamedFile {
  readonly sha256: string;
  readonly family: string | undefined;
}

/**
 * Renames the reports of files whose analyses were written. If a file has many reports, the rest is
 * recorded in `pending_rename` in the same transaction, and renamed in slices. So are reports of a
 * feed that is not locked: one may have become the first while this transaction waited for locks,
 * and locking its feed now could deadlock.
 */
export function* renameReportsOf(
  analysed: readonly NamedFile[],
  locked: LockedReports,
  at: Date,
  serializers: Serializers,
): UnitOfWork<void> {
  const files = analysed.filter(({ sha256 }) => locked.files.has(sha256));
  if (files.length === 0) return;
  const found = yield* each(
    selectFirstOfFile,
    files.map(({ sha256 }) => ({ sha256, limit: MAX_RENAMED_WITH_ANALYSIS + 1 })),
  );
  const firsts = found.map((reports) => {
    const unlocked = reports.findIndex(({ slug }) => !locked.feeds.has(slug));
    return reports.slice(
      0,
      Math.min(unlocked < 0 ? MAX_RENAMED_WITH_ANALYSIS : unlocked, MAX_RENAMED_WITH_ANALYSIS),
    );
  });
  const renames = files.flatMap(({ family }, index) => renamesOf(firsts[index] ?? [], family, at));
  yield* rename(renames, { at, serializers, counts: locked.counts });
  const pending = files.flatMap(({ sha256 }, index) => {
    const next = found[index]?.[firsts[index]?.length ?? 0];
    return next ? { sha256, service_id: next.service_id, number: next.number - 1 } : [];
  });
  yield* each(putPending, pending);
}

/**
 * Renames the next pending reports of a file, at most `limit`, all of one feed, after the file's
 * current analysis. Returns the number of steps done; 0: nothing is pending.
 */
export function* renamePending(
  at: Date,
  limit: number,
  serializers: Serializers,
): UnitOfWork<number> {
  yield* lockTask('rename reports');
  const first = yield* row(selectPending, {});
  if (first === undefined) return 0;
  const { sha256 } = first;
  yield* lockFiles([sha256]);
  // Read again: before the file was locked, another analysis may have restarted the renaming.
  const pending = yield* row(selectPendingOf, { sha256 });
  if (pending === undefined) return 1;
  const { service_id } = pending;
  const feed = yield* row(selectSlug, { id: service_id });
  if (feed !== undefined) yield* lockFeeds([feed.slug]);
  const found = yield* rows(selectNextOfFile, { ...pending, limit });
  const family = (yield* familiesBySha256([sha256])).get(sha256);
  const counts = new StatisticCounts();
  yield* rename(renamesOf(found, family, at), { at, serializers, counts });
  yield* movePending(pending, found.length < limit ? undefined : found.at(-1)?.number);
  yield* counts.write();
  return Math.max(1, found.length);
}

/** Continues after that number in the same feed, or in the next feed with reports of the file. */
function* movePending(
  { sha256, service_id }: PendingRename,
  number: number | undefined,
): UnitOfWork<void> {
  if (number !== undefined) {
    yield* rows(putPending, { sha256, service_id, number });
    return;
  }
  const next = yield* row(selectNextFeed, { sha256, service_id });
  if (next === undefined) yield* rows(deletePending, { sha256 });
  else yield* rows(putPending, { sha256, service_id: next.service_id, number: 0 });
}

interface RenameContext {
  readonly at: Date;
  readonly serializers: Serializers;
  readonly counts: StatisticCounts;
}

/** Each rename is a change of its feed, with its own sequence. The caller has locked the feeds. */
function* rename(
  renames: readonly Rename[],
  { at, serializers, counts }: RenameContext,
): UnitOfWork<void> {
  const reports = renames.map(({ report }) => report);
  const sequences = new SequenceAllocator(reports, at);
  yield* sequences.reserve();
  const changes: Renamed[] = [];
  for (const { number, before, report } of renames) {
    const position = yield* sequences.take(report.service);
    if (position === undefined) throw new Error(`no such feed: ${report.service}`);
    changes.push({ number, before, report: { ...report, sequence: position.sequence }, position });
  }
  yield* each(
    renameReport,
    changes.map(({ report, position }) => ({
      id: report.id,
      name: report.name,
      sequence: report.sequence,
      added_at: position.addedAt,
      updated_at: at.toISOString(),
      body: serializers.report(report),
    })),
  );
  yield* new SearchTerms().addAll(
    changes.map(({ report, position: { serviceId } }) => ({
      serviceId,
      report: { ...report, host: report.c2.host },
      isNewHost: false,
    })),
  );
  yield* deleteUnusedNames(
    changes.map(({ before: name, position: { serviceId } }) => ({ serviceId, name })),
  );
  const event = { type: 'updated', at: at.toISOString() } as const;
  yield* appendEvents(
    changes.map(({ position, report }) => ({
      position,
      event: { ...event, reportId: report.id },
    })),
  );
  yield* countRenames(changes, counts);
}

function* countRenames(changes: readonly Renamed[], counts: StatisticCounts): UnitOfWork<void> {
  if (changes.length === 0) return;
  const isCounted = yield* countedReports();
  for (const { number, before, report, position } of changes)
    if (isCounted(number)) counts.rename(position.serviceId, before, report.name);
}

interface Rename {
  readonly number: number;
  /** The old name. */
  readonly before: string;
  readonly report: Report;
}

interface Renamed extends Rename {
  readonly position: FeedPosition;
}

function renamesOf(
  found: readonly ReadRow[],
  family: string | undefined,
  at: Date,
): readonly Rename[] {
  return found.flatMap((row) => {
    const report = fromRow(row);
    const name = nameReport(family, report.tags);
    if (name === report.name) return [];
    return { number: row.number, before: report.name, report: { ...report, name, updatedAt: at } };
  });
}
