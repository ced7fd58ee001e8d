import { Problem } from '../../domain/problem.ts';
import type { Report } from '../../domain/reports/report.ts';
import type { Service } from '../../domain/services/service.ts';
import type { ReportHistory, StatusEntry } from '../../ports/report-store.ts';
import type { Dependencies } from '../dependencies.ts';

const MAX_STATUSES = 500;

/** A change of a report. Those without a status are its creation, or its last other change. */
export interface HistoryEntry {
  readonly type: 'created' | 'updated';
  readonly at: Date;
  readonly sequence: number;
  readonly status?: StatusEntry;
  /** Set before statuses were recorded: time and sequence are those of the last change. */
  readonly isInferred?: boolean;
}

export interface ShownHistory {
  readonly report: Report;
  /** Oldest first. */
  readonly entries: readonly HistoryEntry[];
  readonly hasMore: boolean;
}

/** Returns what happened to a report: its creation, its statuses, and its last other change. */
export async function reportHistory(
  { store }: Pick<Dependencies, 'store'>,
  service: Service,
  id: string,
): Promise<ShownHistory> {
  const history = await store.reports.history(service.slug, id, MAX_STATUSES);
  if (history === undefined) throw new Problem('unknown_report');
  const { report, hasMore } = history;
  return { report, entries: entriesOf(history), hasMore };
}

function entriesOf({ report, statuses }: ReportHistory): readonly HistoryEntry[] {
  const created = {
    type: 'created',
    at: report.reportedAt,
    sequence: report.createdSequence,
  } as const;
  const recorded = statuses.map(toEntry);
  return [created, ...recorded, ...lastChangeOf(report, statuses)];
}

function toEntry(status: StatusEntry): HistoryEntry {
  return { type: 'updated', at: status.at, sequence: status.sequence, status };
}

/**
 * The last change, if it is not among the recorded ones: a new name, a renewal, or a status that an
 * older version set.
 */
function lastChangeOf(report: Report, statuses: readonly StatusEntry[]): readonly HistoryEntry[] {
  const last = statuses.at(-1);
  const { sequence, updatedAt: at } = report;
  if (sequence === (last?.sequence ?? report.createdSequence)) return [];
  const isRecorded = report.status === (last?.status ?? 'open');
  if (isRecorded) return [{ type: 'updated', at, sequence }];
  const { status, statusReason: reason, statusNote: note, statusBy: by } = report;
  const inferred = toEntry({ at, sequence, status, reason, note, by });
  return [{ ...inferred, isInferred: true }];
}
