import type { ReportHistory, StatusEntry } from '../../../ports/report-store.ts';
import type { StatusChangeRow } from '../../schema/tables.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';
import { fromRow } from './report-rows.ts';
import { type ReportKey, selectReport } from './reports.ts';
import { newestStatusChanges } from './status-changes.ts';

/** The report, and its newest statuses, oldest first. */
export function* historyOf(key: ReportKey, limit: number): UnitOfWork<ReportHistory | undefined> {
  const found = yield* row(selectReport, key);
  if (found === undefined) return undefined;
  const newest = yield* newestStatusChanges(found.number, limit + 1);
  return {
    report: fromRow(found),
    statuses: newest.slice(0, limit).reverse().map(toEntry),
    hasMore: newest.length > limit,
  };
}

function toEntry(change: StatusChangeRow): StatusEntry {
  return {
    at: new Date(change.at),
    sequence: change.sequence,
    status: change.status,
    reason: change.status_reason ?? undefined,
    note: change.status_note ?? undefined,
    by: change.status_by ?? undefined,
  };
}
