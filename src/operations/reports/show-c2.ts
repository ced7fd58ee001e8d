import type { Origin } from '../../domain/networks/origin.ts';
import { type Report, UNNAMED } from '../../domain/reports/report.ts';
import { joinSpellings } from '../../domain/reports/spellings.ts';
import { noStatuses, type StatusCounts } from '../../domain/reports/statistics.ts';
import type { Route } from '../../domain/services/route.ts';
import { dayOf, daysUpTo } from '../../domain/utc-days.ts';
import type { C2Feed, C2Sample, CountedReport, HostOrC2 } from '../../ports/search-store.ts';
import type { Dependencies } from '../dependencies.ts';
import type { NetworkDependencies } from '../networks/network-dependencies.ts';
import { findRoute } from '../services/find-route.ts';

const NEWEST_REPORTS = 20;
const NEWEST_SAMPLES = 50;
const MAX_FAMILIES = 50;
const MAX_REPORTERS = 20;
const SHOWN_DAYS = 90;

/** How many reports or samples bear a name. */
export interface NamedCount {
  readonly name: string;
  readonly reports: number;
  readonly samples: number;
}

export interface FeedCount {
  readonly service: string;
  readonly total: number;
  readonly isLowerBound: boolean;
  readonly statuses: Readonly<StatusCounts>;
  readonly firstReportedAt: Date;
  readonly lastReportedAt: Date;
  /** Whether its desk has rejected the C2. */
  readonly isC2Rejected: boolean;
}

export interface Reporters {
  /** The number of accounts with a counted report. */
  readonly total: number;
  /** The most reports first. */
  readonly most: readonly { readonly name: string; readonly reports: number }[];
}

export interface ShownC2 {
  readonly total: number;
  /** Whether there are more reports than were counted. */
  readonly isLowerBound: boolean;
  readonly statuses: Readonly<StatusCounts>;
  readonly firstReportedAt: Date | undefined;
  readonly lastReportedAt: Date | undefined;
  /** Reports before this time were not all counted; `undefined` if all reports were counted. */
  readonly countedSince: Date | undefined;
  readonly feeds: readonly FeedCount[];
  readonly days: readonly { readonly day: string; readonly reports: number }[];
  readonly reporters: Reporters;
  /** The most frequent first. */
  readonly families: readonly NamedCount[];
  readonly newest: readonly Report[];
  readonly samples: readonly C2Sample[];
  readonly hasMoreSamples: boolean;
  readonly route: Route | undefined;
  readonly origin: Origin;
}

/** Returns what is known of a C2, or of all C2s of a host, over all feeds and samples. */
export async function showC2(
  deps: Pick<Dependencies, 'store' | 'now'> & NetworkDependencies,
  address: HostOrC2,
): Promise<ShownC2> {
  const { search } = deps.store;
  const { feeds, isLowerBound, newest } = await search.reportsOf(address, {
    newest: NEWEST_REPORTS,
  });
  const { samples, hasMore: hasMoreSamples } = await search.samplesOf(address, NEWEST_SAMPLES);
  const reports = feeds.flatMap((feed) => feed.reports);
  return {
    total: reports.length,
    isLowerBound,
    statuses: countStatuses(reports),
    firstReportedAt: earliest(feeds.map(({ firstReportedAt }) => firstReportedAt)),
    lastReportedAt: latest(reports.map(({ reportedAt }) => reportedAt)),
    countedSince: countedSince(feeds),
    feeds: feeds.map(toFeedCount).sort((one, other) => other.total - one.total),
    days: countDays(reports, deps.now()),
    reporters: countReporters(reports),
    families: countFamilies(reports, samples),
    newest,
    samples,
    hasMoreSamples,
    route: await findRoute(deps, address.host),
    origin: deps.networks.originOf(address.host),
  };
}

function countStatuses(reports: readonly CountedReport[]): Readonly<StatusCounts> {
  const counts = noStatuses();
  for (const { status } of reports) counts[status] += 1;
  return counts;
}

function toFeedCount(feed: C2Feed): FeedCount {
  const { service, reports, hasMore, firstReportedAt, isC2Rejected } = feed;
  return {
    service,
    total: reports.length,
    isLowerBound: hasMore,
    statuses: countStatuses(reports),
    firstReportedAt,
    lastReportedAt: latest(reports.map(({ reportedAt }) => reportedAt)) ?? firstReportedAt,
    isC2Rejected,
  };
}

/** The latest of the oldest counted reports of the feeds that have more. */
function countedSince(feeds: readonly C2Feed[]): Date | undefined {
  return latest(
    feeds
      .filter(({ hasMore }) => hasMore)
      .flatMap(({ reports }) => earliest(reports.map(({ reportedAt }) => reportedAt)) ?? []),
  );
}

function countDays(reports: readonly CountedReport[], now: Date): ShownC2['days'] {
  const counts = new Map(daysUpTo(now, SHOWN_DAYS).map((day) => [day, 0]));
  for (const { reportedAt } of reports) {
    const day = dayOf(reportedAt);
    const count = counts.get(day);
    if (count !== undefined) counts.set(day, count + 1);
  }
  return [...counts].map(([day, count]) => ({ day, reports: count }));
}

function countReporters(reports: readonly CountedReport[]): Reporters {
  const counts = new Map<string, number>();
  for (const { reportedBy } of reports) counts.set(reportedBy, (counts.get(reportedBy) ?? 0) + 1);
  const most = [...counts]
    .map(([name, count]) => ({ name, reports: count }))
    .sort((one, other) => other.reports - one.reports || (one.name < other.name ? -1 : 1));
  return { total: most.length, most: most.slice(0, MAX_REPORTERS) };
}

function countFamilies(
  reports: readonly CountedReport[],
  samples: readonly C2Sample[],
): readonly NamedCount[] {
  const counts = new Map<string, { reports: number; samples: number }>();
  const of = (name: string) => {
    const count = counts.get(name) ?? { reports: 0, samples: 0 };
    counts.set(name, count);
    return count;
  };
  for (const { name } of reports) if (name !== UNNAMED) of(name).reports += 1;
  for (const { family } of samples) if (family !== undefined) of(family).samples += 1;
  const spelled = [...counts].map(([name, count]): NamedCount => ({ name, ...count }));
  return joinSpellings(spelled, sum, (one, other) => ({
    ...one,
    reports: one.reports + other.reports,
    samples: one.samples + other.samples,
  }))
    .toSorted((one, other) => sum(other) - sum(one) || (one.name < other.name ? -1 : 1))
    .slice(0, MAX_FAMILIES);
}

function sum({ reports, samples }: NamedCount): number {
  return reports + samples;
}

function earliest(times: readonly Date[]): Date | undefined {
  return extreme(times, (one, other) => one < other);
}

function latest(times: readonly Date[]): Date | undefined {
  return extreme(times, (one, other) => one > other);
}

function extreme(
  times: readonly Date[],
  isBetter: (one: Date, other: Date) => boolean,
): Date | undefined {
  let best = times[0];
  for (const time of times) if (best !== undefined && isBetter(time, best)) best = time;
  return best;
}
