import type { ReportStatus } from '../../../domain/reports/desk.ts';
import { renewedExpiry } from '../../../domain/reports/renewal.ts';
import { type FeedPosition, SequenceAllocator } from '../../tables/feeds/sequences.ts';
import { selectDue } from '../../tables/reports/due-reports.ts';
import { NO_REASON, setExpired } from '../../tables/reports/report-changes.ts';
import { addStatusChanges } from '../../tables/reports/status-changes.ts';
import { StatisticCounts } from '../../tables/statistics/counters.ts';
import { countedReports } from '../../tables/statistics/fill-statistics.ts';
import { lockFeeds } from '../../units/locks.ts';
import { each, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { appendEvents } from './append-events.ts';
import { lastSightings, renewReports } from './renew-reports.ts';

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
  const lastSeen = yield* lastSightings(reports);

  const decided = reports.map((report, index) => ({
    report,
    renewed: renewedExpiry(lastSeen[index] ?? now, now, report.expireAfterDays),
  }));

  const sequences = new SequenceAllocator([], now);
  const renewals = decided.flatMap(({ report: { id, number, service }, renewed: expiresAt }) =>
    expiresAt === undefined ? [] : { id, number, service, at: now, expiresAt },
  );
  yield* renewReports(renewals, sequences);
  const expired = decided.flatMap(({ report, renewed }) => (renewed === undefined ? report : []));
  yield* writeExpired(expired, now, sequences);
  yield* sequences.releaseUnused();
  yield* countExpired(expired, now);
  return reports.length;
}

function* writeExpired(
  expired: readonly DueReport[],
  now: Date,
  sequences: SequenceAllocator,
): UnitOfWork<void> {
  for (const { service } of expired) sequences.expect(service, 1);
  const changes: { readonly report: DueReport; readonly position: FeedPosition }[] = [];
  for (const report of expired) {
    // The feed exists: the report refers to it.
    const position = (yield* sequences.take(report.service)) as FeedPosition;
    changes.push({ report, position });
  }
  const at = now.toISOString();
  yield* each(
    setExpired,
    changes.map(({ report: { id }, position: { sequence, addedAt } }) => ({
      id,
      sequence,
      added_at: addedAt,
      updated_at: at,
    })),
  );
  const status = { status: 'expired', ...NO_REASON, is_repeat: 0, is_self: null } as const;
  yield* addStatusChanges(
    changes.map(({ report: { number }, position: { sequence } }) => ({
      number,
      sequence,
      at,
      ...status,
    })),
  );
  yield* appendEvents(
    changes.map(({ report: { id, number }, position }) => ({
      position,
      event: { type: 'updated', reportId: id, at, number },
    })),
  );
}

function* countExpired(expired: readonly DueReport[], now: Date): UnitOfWork<void> {
  const isCounted = yield* countedReports();
  const counts = new StatisticCounts();
  for (const { number, service_id, reporter_id, status } of expired) {
    if (!isCounted(number)) continue;
    counts.changeStatus(service_id, reporter_id, { status }, { status: 'expired' });
    counts.addStatusSet(service_id, 'expired', now.toISOString());
  }
  yield* counts.write();
}
