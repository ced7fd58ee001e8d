import assert from 'node:assert/strict';
import { isAnswer, type ReportStatus } from '../../../../src/domain/reports/desk.ts';
import { isMisrouted, type Report } from '../../../../src/domain/reports/report.ts';
import {
  noStatuses,
  TIME_TO_ACT_BOUNDS,
  timeToActBucket,
} from '../../../../src/domain/reports/statistics.ts';
import { judgementOf } from '../../../../src/domain/trust/judgement.ts';
import {
  noReporterCounts,
  outcomeOf,
  type ReporterCounts,
  reportsOf,
} from '../../../../src/domain/trust/outcome.ts';
import type { ServiceCounts } from '../../../../src/domain/trust/scorecard.ts';
import { dayOf } from '../../../../src/domain/utc-days.ts';
import type { StatusEntry } from '../../../../src/ports/report-store.ts';
import type { NewAccount } from '../../../../src/ports/store.ts';
import type { FeedRig } from '../feed-rig.ts';

export const STATUSES: readonly ReportStatus[] = [
  'open',
  'acknowledged',
  'actioned',
  'rejected',
  'expired',
];

const FROM = '2026-01-01';

/** Reads all reports with their histories, and counts them. */
export async function checkTrust(
  rig: FeedRig,
  feeds: readonly string[],
  reporters: readonly NewAccount[],
): Promise<void> {
  const byFeed = new Map<string, readonly Report[]>();
  for (const feed of feeds) {
    const reports: Report[] = [];
    for (const status of STATUSES) reports.push(...(await rig.list(feed, { status })));
    byFeed.set(feed, reports);
    assert.deepEqual(await rig.store.trust.service(feed, FROM), await recountService(rig, reports));
  }
  for (const { name, id } of reporters) {
    const counted = await rig.store.trust.reporter(name);
    assert.equal(counted?.id, id);
    const recounted = recountReporter(byFeed, id);
    const shown = counted.services.map(({ service, ...counts }) => {
      const { judged_right, judged_wrong } = recounted[service] ?? noReporterCounts();
      // Those of deleted reports are not in the lists of reports.
      assert.ok(counts.judged_right >= judged_right && counts.judged_wrong >= judged_wrong);
      return [service, { ...counts, judged_right, judged_wrong }] as const;
    });
    const existing = shown.filter(([, counts]) => reportsOf(counts) > 0);
    assert.deepEqual(Object.fromEntries(existing), recounted);
  }
}

function recountReporter(
  byFeed: ReadonlyMap<string, readonly Report[]>,
  id: string,
): Partial<Record<string, ReporterCounts>> {
  const feeds = [...byFeed].map(([feed, reports]) => {
    const counts = noReporterCounts();
    const own = reports.filter(({ reporterId }) => reporterId === id);
    for (const { status, statusReason, confirmation } of own) {
      const outcome = outcomeOf(status, statusReason);
      counts[outcome] += 1;
      // No reporter owns a feed.
      const judgement = judgementOf(outcome);
      if (judgement !== undefined) counts[`judged_${judgement}`] += 1;
      if (confirmation !== 'unknown') counts[confirmation] += 1;
    }
    return [feed, own.length, counts] as const;
  });
  return Object.fromEntries(
    feeds.flatMap(([feed, reports, counts]) => (reports === 0 ? [] : [[feed, counts]])),
  );
}

async function recountService(rig: FeedRig, reports: readonly Report[]): Promise<ServiceCounts> {
  const statuses = noStatuses();
  const timeToAct = TIME_TO_ACT_BOUNDS.concat(0).fill(0);
  const timeToAcknowledge = TIME_TO_ACT_BOUNDS.concat(0).fill(0);
  for (const report of reports) {
    statuses[report.status] += 1;
    const { service, id } = report;
    const history = (await rig.store.reports.history(service, id, 500))?.statuses ?? [];
    addFirst(timeToAct, report, history, isAnswer);
    addFirst(timeToAcknowledge, report, history, (one) => one === 'acknowledged' || isAnswer(one));
  }
  const recurrences = reports.filter(({ recurrence }) => recurrence);
  const days = Object.groupBy(recurrences, ({ reportedAt }) => dayOf(reportedAt));
  return {
    statuses,
    confirmed: reports.filter(({ confirmation }) => confirmation === 'confirmed').length,
    contradicted: reports.filter(({ confirmation }) => confirmation === 'contradicted').length,
    misrouted: reports.filter(isMisrouted).length,
    recurrences: recurrences.length,
    recurrenceDays: Object.entries(days)
      .map(([day, ofDay = []]) => ({ day, count: ofDay.length }))
      .sort((one, other) => (one.day < other.day ? -1 : 1)),
    timeToAct,
    timeToAcknowledge,
    isComplete: true,
  };
}

function addFirst(
  buckets: number[],
  { reportedAt }: Report,
  history: readonly StatusEntry[],
  matches: (status: ReportStatus) => boolean,
): void {
  const first = history.find(({ status }) => matches(status));
  if (first === undefined) return;
  const bucket = timeToActBucket(reportedAt, first.at);
  buckets[bucket] = (buckets[bucket] ?? 0) + 1;
}
