import type { Serializers } from '../../../ports/store.ts';
import {
  deletePending,
  type PendingReports,
  putPending,
  selectPending,
  selectPendingOf,
} from '../../tables/reports/pending-renames.ts';
import type { ReadRow } from '../../tables/reports/report-rows.ts';
import {
  selectAnyOfFile,
  selectFirstOfFile,
  selectNextFeed,
  selectNextOfFile,
} from '../../tables/reports/reports-of-file.ts';
import { evidenceOf } from '../../tables/samples/evidence.ts';
import { selectSlug } from '../../tables/services/feed-rows.ts';
import { StatisticCounts } from '../../tables/statistics/counters.ts';
import { lockFeeds, lockFiles, lockTask } from '../../units/locks.ts';
import { each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { type ReportUpdate, updateOf, writeUpdates } from './update-reports.ts';

/**
 * Reports have their name and their confirmation from the analysis of their file. When it arrives,
 * changes or is removed, the reports of the file follow.
 */

/**
 * At most this many reports of a file are updated in the transaction of its analysis, which are
 * nearly always all. The others follow in slices, each in its own transaction.
 */
const MAX_UPDATED_WITH_ANALYSIS = 20;

/** Reports that may be updated in the transaction of an analysis. */
export interface LockedReports {
  /** The files that have reports. No further report can be added while the files are locked. */
  readonly files: ReadonlySet<string>;
  readonly feeds: ReadonlySet<string>;
  /** What the updates change in the counters. The caller writes it as the last step of the unit. */
  readonly counts: StatisticCounts;
}

/**
 * The first step of writing or removing analyses of these files. Concurrent creates of reports of
 * the files wait, so that they use the new analyses. Locks the feeds whose reports are updated with
 * the analyses, in one order.
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
    files.map((sha256) => ({ sha256, limit: MAX_UPDATED_WITH_ANALYSIS })),
  );
  const feeds = new Set(found.flat().map(({ slug }) => slug));
  yield* lockFeeds(feeds);
  return { files: new Set(files), feeds, counts: new StatisticCounts() };
}

/**
 * Updates the reports of files whose analyses were written or removed. If a file has many reports,
 * the rest is recorded in `pending_rename` in the same transaction, and updated in slices. So are
 * reports of a feed that is not locked: one may have become the first while this transaction waited
 * for locks, and locking its feed now could deadlock.
 */
export function* reevaluateReportsOf(
  analysed: readonly string[],
  locked: LockedReports,
  at: Date,
  serializers: Serializers,
): UnitOfWork<void> {
  const files = analysed.filter((sha256) => locked.files.has(sha256));
  if (files.length === 0) return;
  const found = yield* each(
    selectFirstOfFile,
    files.map((sha256) => ({ sha256, limit: MAX_UPDATED_WITH_ANALYSIS + 1 })),
  );
  const firsts = found.map((reports) => {
    const unlocked = reports.findIndex(({ slug }) => !locked.feeds.has(slug));
    return reports.slice(
      0,
      Math.min(unlocked < 0 ? MAX_UPDATED_WITH_ANALYSIS : unlocked, MAX_UPDATED_WITH_ANALYSIS),
    );
  });
  const updates = yield* updatesOf(firsts.flat(), at);
  yield* writeUpdates(updates, { at, serializers, counts: locked.counts });
  const pending = files.flatMap((sha256, index) => {
    const next = found[index]?.[firsts[index]?.length ?? 0];
    return next ? { sha256, service_id: next.service_id, number: next.number - 1 } : [];
  });
  yield* each(putPending, pending);
}

/**
 * Updates the next pending reports of a file, at most `limit`, all of one feed, to the file's
 * current analysis. Returns the number of steps done; 0: nothing is pending.
 */
export function* reevaluatePending(
  at: Date,
  limit: number,
  serializers: Serializers,
): UnitOfWork<number> {
  yield* lockTask('rename reports');
  const first = yield* row(selectPending, {});
  if (first === undefined) return 0;
  const { sha256 } = first;
  yield* lockFiles([sha256]);
  // Read again: before the file was locked, another analysis may have restarted the updates.
  const pending = yield* row(selectPendingOf, { sha256 });
  if (pending === undefined) return 1;
  const { service_id } = pending;
  const feed = yield* row(selectSlug, { id: service_id });
  if (feed !== undefined) yield* lockFeeds([feed.slug]);
  const found = yield* rows(selectNextOfFile, { ...pending, limit });
  const counts = new StatisticCounts();
  yield* writeUpdates(yield* updatesOf(found, at), { at, serializers, counts });
  yield* movePending(pending, found.length < limit ? undefined : found.at(-1)?.number);
  yield* counts.write();
  return Math.max(1, found.length);
}

/** Continues after that number in the same feed, or in the next feed with reports of the file. */
function* movePending(
  { sha256, service_id }: PendingReports,
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

function* updatesOf(found: readonly ReadRow[], at: Date): UnitOfWork<readonly ReportUpdate[]> {
  const evidence = yield* evidenceOf(found);
  return found.flatMap((report, index) => updateOf(report, evidence[index], at) ?? []);
}
