import { expiryAfter, type ReportStatus } from '../../../domain/reports/desk.ts';
import { type FeedPosition, SequenceAllocator } from '../../tables/feeds/sequences.ts';
import { selectDue } from '../../tables/reports/due-reports.ts';
import { NO_REASON, setExpired } from '../../tables/reports/report-changes.ts';
import { addStatusChanges } from '../../tables/reports/status-changes.ts';
import { StatisticCounts } from '../../tables/statistics/counters.ts';
import { countedReports } from '../../tables/statistics/fill-statistics.ts';
import { lockFeeds } from '../../units/locks.ts';
import { rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { appendEvent } from './append-events.ts';
import { lastSighting, renewReports } from './renew-reports.ts';

interface DueReport {
  readonly id: string;
  readonly number: number;
  readonly service_id: number;
  readonly host: string;
  readonly port: number;
  readonly status: ReportStatus;
  readonly reporter_id: string;
  readonly service: string;
  readonly expireAfterDays: number;
}

/** Expires or renews reports that are due, at most `limit`. Returns the number processed. */
export function* expireReports(now: Date, limit: number): UnitOfWork<number> {
  const due = { now: now.toISOString(), limit };
  const feeds = new Set((yield* rows(selectDue, due)).map(({ service }) => service));
  yield* lockFeeds(feeds);
  // Read again: before the feeds were locked, another transaction may have changed these reports.
  const reports = (yield* rows(selectDue, due)).filter(({ service }) => feeds.has(service));
  const sequences = new SequenceAllocator([], now);
  const isCounted = yield* countedReports();
  const counts = new StatisticCounts();
  for (const report of reports) {
    const isExpired = yield* expireReport(report, now, sequences);
    if (!isExpired || !isCounted(report.number)) continue;
    const { service_id, reporter_id, status } = report;
    counts.changeStatus(service_id, reporter_id, { status }, { status: 'expired' });
    counts.addStatusSet(service_id, 'expired', due.now);
  }
  yield* sequences.releaseUnused();
  yield* counts.write();
  return reports.length;
}

/**
 * Renews the report if its C2 was reported again since, or if the feed's expiry period grew.
 * Returns whether it expired.
 */
function* expireReport(
  report: DueReport,
  now: Date,
  sequences: SequenceAllocator,
): UnitOfWork<boolean> {
  const { id, number, service, expireAfterDays, service_id, host, port } = report;
  const lastSeen = yield* lastSighting({ service_id, host, port });
  const expiresAt = expiryAfter(lastSeen ?? now, expireAfterDays);
  if (expiresAt > now) {
    yield* renewReports([{ id, number, service, at: now, expiresAt }], sequences);
    return false;
  }
  // The feed exists: the report refers to it.
  const position = (yield* sequences.take(service)) as FeedPosition;
  const at = now.toISOString();
  const { sequence, addedAt } = position;
  yield* rows(setExpired, { id, sequence, added_at: addedAt, updated_at: at });
  yield* addStatusChanges([
    { number, sequence, at, status: 'expired', ...NO_REASON, is_repeat: 0, is_self: null },
  ]);
  yield* appendEvent(position, { type: 'updated', reportId: id, at, number });
  return true;
}
