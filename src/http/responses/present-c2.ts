import type { Caller } from '../../domain/accounts/caller.ts';
import type { KnownLists } from '../../domain/lists/known-lists.ts';
import type { Origin } from '../../domain/networks/origin.ts';
import { formatC2Address } from '../../domain/reports/c2-address.ts';
import { maySeeAuthor } from '../../domain/reports/change.ts';
import { isRefusedHost, type Overlap, type Route } from '../../domain/services/route.ts';
import { feedOfHost } from '../../domain/services/unclaimed.ts';
import type { ShownRoute } from '../../operations/contacts/show-route.ts';
import type { PreviewedReport } from '../../operations/reports/preview-report.ts';
import type { HistoryEntry, ShownHistory } from '../../operations/reports/report-history.ts';
import type { FeedCount, ShownC2 } from '../../operations/reports/show-c2.ts';
import type { ShownReport } from '../../operations/reports/show-report.ts';
import type { ShownStatistics } from '../../operations/reports/show-statistics.ts';
import type { HostOrC2 } from '../../ports/search-store.ts';
import type { FieldProblem } from '../requests/field-rules.ts';
import { formatUtc, formatUtcOrNull, presentExtended } from './present.ts';

/** What is known around reports: history, evidence, C2s, and the statistics of feeds. */

export function presentExamined(
  { report, evidence, isC2Rejected }: ShownReport,
  lists: KnownLists,
  viewer: Caller,
) {
  return {
    ...presentExtended(report, lists, viewer),
    c2Rejected: isC2Rejected,
    evidence:
      evidence === undefined
        ? null
        : { family: evidence.family ?? null, c2s: evidence.c2s.map(formatC2Address) },
  };
}

/** Without id and time, which a create assigns. */
export function presentPreview(
  preview: PreviewedReport | undefined,
  problems: readonly FieldProblem[],
  lists: KnownLists,
) {
  return {
    report: preview === undefined ? null : presentPreviewed(preview),
    problems: problems.map(({ field = '', error }) => ({ field, error })),
    ownReports: preview?.ownReports ?? 0,
    c2Rejected: preview?.isC2Rejected ?? false,
    ...patternOf(preview?.report.c2.host, preview?.route),
    knownAs: preview === undefined ? [] : lists.ofReport(preview.report),
    successful: true as const,
  };
}

function presentPreviewed({ report, isFirst }: PreviewedReport) {
  return {
    name: report.name,
    tags: report.tags,
    c2Address: formatC2Address(report.c2),
    reportedBy: report.reportedBy,
    file256Hash: report.sha256,
    firstSeenID: isFirst ? null : report.firstSeenId,
    referenceLink: report.reference,
    confidenceScore: report.confidence,
    expiresAt: formatUtc(report.expiresAt),
    corroboration: report.corroboration,
    sightings: report.sightings,
    recurrence: report.recurrence,
    confirmation: report.confirmation,
  };
}

export function presentHistory({ report, entries, hasMore }: ShownHistory, viewer: Caller) {
  const showsAuthor = maySeeAuthor(viewer, report);
  return {
    history: entries.map((entry) => presentEntry(entry, report.reportedBy, showsAuthor)),
    hasMore,
    successful: true as const,
  };
}

function presentEntry(
  { type, at, sequence, status, isInferred }: HistoryEntry,
  reportedBy: string,
  showsAuthor: boolean,
) {
  const by = type === 'created' ? reportedBy : showsAuthor ? status?.by : undefined;
  return {
    at: formatUtc(at),
    type,
    sequence,
    ...(status !== undefined && { status: status.status, reason: status.reason ?? null }),
    ...(status?.note !== undefined && { note: status.note }),
    ...(by !== undefined && { by }),
    ...(isInferred && { inferred: true as const }),
  };
}

export function presentStatistics(service: string, shown: ShownStatistics) {
  const { asOf, days, statuses, families, timeToAct, isComplete } = shown;
  return {
    service,
    asOf: formatUtc(asOf),
    days,
    statuses,
    families,
    timeToAct: {
      medianSeconds: timeToAct.medianSeconds ?? null,
      acted: timeToAct.acted,
      buckets: timeToAct.buckets.map(({ upToSeconds, reports }) => ({
        upToSeconds: upToSeconds ?? null,
        reports,
      })),
    },
    complete: isComplete,
  };
}

export function presentRoute(
  address: HostOrC2,
  { route, contacts, origin }: ShownRoute,
  lists: KnownLists,
) {
  return {
    ...presentAddress(address),
    ...patternOf(address.host, route),
    ...presentOrigin(origin),
    knownAs: lists.ofHost(address.host),
    contacts: contacts.map((contact) => ({ ...contact, checkedAt: formatUtc(contact.checkedAt) })),
    successful: true as const,
  };
}

/** Without what the tables do not know. */
function presentOrigin({ asn, country }: Origin) {
  return { ...(asn !== undefined && { asn }), ...(country !== undefined && { country }) };
}

function presentAddress({ host, port }: HostOrC2) {
  return { ...(port !== undefined && { c2: formatC2Address({ host, port }) }), host };
}

function patternOf(host: string | undefined, route: Route | undefined) {
  return {
    service: route?.service ?? null,
    feed: (host && feedOfHost(host, route?.service)) ?? null,
    pattern: route?.pattern ?? null,
    verified: route?.verified ?? false,
  };
}

export function presentOverlap({ inner, within }: Overlap) {
  return { ...presentDeclared(inner), within: presentDeclared(within) };
}

function presentDeclared({ pattern, service, verified }: Route) {
  return { pattern, service, verified, publicSuffix: isRefusedHost(pattern) };
}

interface C2Reader {
  readonly viewer: Caller;
  readonly lists: KnownLists;
}

export function presentC2(
  { host, port }: { host: string; port: number },
  shown: ShownC2,
  reader: C2Reader,
) {
  const c2 = formatC2Address({ host, port });
  return { c2, ...presentKnown(host, `c2=${encodeURIComponent(c2)}`, shown, reader) };
}

export function presentHost(host: string, shown: ShownC2, reader: C2Reader) {
  return presentKnown(host, `host=${encodeURIComponent(host)}`, shown, reader);
}

function presentKnown(host: string, filter: string, shown: ShownC2, { viewer, lists }: C2Reader) {
  return {
    host,
    ...patternOf(host, shown.route),
    ...presentOrigin(shown.origin),
    knownAs: lists.ofHost(host),
    reports: {
      ...totalOf(shown),
      statuses: shown.statuses,
      firstReportedAt: formatUtcOrNull(shown.firstReportedAt),
      lastReportedAt: formatUtcOrNull(shown.lastReportedAt),
      countedSince: formatUtcOrNull(shown.countedSince),
      feeds: shown.feeds.map(presentFeed),
      reporters: shown.reporters,
      days: shown.days,
      newest: shown.newest.map((report) => presentExtended(report, lists, viewer)),
      list: `/feed/all/reports?${filter}`,
    },
    samples: {
      newest: shown.samples.map(({ sha256, fileName, tags }) => ({
        sha256Hash: sha256,
        fileName,
        tags: tags.map(({ heat, name }) => ({ heat, name })),
      })),
      hasMore: shown.hasMoreSamples,
    },
    families: shown.families,
    successful: true as const,
  };
}

function presentFeed(feed: FeedCount) {
  return {
    service: feed.service,
    ...totalOf(feed),
    statuses: feed.statuses,
    firstReportedAt: formatUtc(feed.firstReportedAt),
    lastReportedAt: formatUtc(feed.lastReportedAt),
    ...(feed.isC2Rejected && { c2Rejected: true as const }),
  };
}

function totalOf({ total, isLowerBound }: Pick<FeedCount, 'total' | 'isLowerBound'>) {
  return { total, ...(isLowerBound && { totalIsLowerBound: true as const }) };
}
