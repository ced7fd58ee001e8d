import type { C2Feed, C2Reports, CountedReport, HostOrC2 } from '../../../ports/search-store.ts';
import {
  type CountedTuple,
  selectCounted,
  selectOldestOfC2,
} from '../../tables/reports/found-reports.ts';
import {
  type FeedHost,
  MAX_OF_RARE_HOST,
  oldestListed,
} from '../../tables/reports/host-reports.ts';
import { areRejected } from '../../tables/reports/rejected-c2s.ts';
import { c2Range, hostRange } from '../../tables/reports/search-ranges.ts';
import { feedsOfHost } from '../../tables/search/search-feeds.ts';
import { selectSlug } from '../../tables/services/feed-rows.ts';
import { toJsonArray } from '../../units/json-arrays.ts';
import { each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { reportsNumbered } from './search-reports.ts';

/** What the feeds say about one C2, or about all C2s of one host. */

/** The newest reports of a feed that are counted: some 2 ms on SQLite. */
const MAX_COUNTED = 1000;

/** The limit for all feeds together, of which each has at least some. */
const MAX_COUNTED_OF_ALL = 2000;

const MIN_COUNTED = 10;

const MAX_FEEDS = 200;

/** Reads the newest reports of each feed, and the oldest of those that have more. */
export function* reportsOfC2(
  { host, port }: HostOrC2,
  { newest: shown }: { readonly newest: number },
): UnitOfWork<C2Reports> {
  const ids = yield* feedsOfHost(host);
  const feeds = ids.slice(0, MAX_FEEDS);
  const limit = Math.max(
    MIN_COUNTED,
    Math.min(MAX_COUNTED, Math.floor(MAX_COUNTED_OF_ALL / Math.max(1, feeds.length))),
  );
  const found: FeedNumbers[] = [];
  for (const serviceId of feeds) {
    const numbers = yield* newestNumbers({ serviceId, host }, port, limit + 1);
    if (numbers.length === 0) continue;
    const hasMore = numbers.length > limit;
    const oldest = hasMore ? yield* oldestNumber({ serviceId, host }, port) : numbers.at(-1);
    found.push({ serviceId, numbers: numbers.slice(0, limit), hasMore, oldest: oldest ?? 0 });
  }
  const newest = found.flatMap(({ numbers }) => numbers).sort((one, other) => other - one);
  const reports = yield* reportsNumbered(newest.slice(0, shown));
  return {
    feeds: yield* loadFeeds(found, { host, port }),
    isLowerBound: ids.length > feeds.length || found.some(({ hasMore }) => hasMore),
    newest: reports,
  };
}

interface FeedNumbers {
  readonly serviceId: number;
  /** Newest first. */
  readonly numbers: readonly number[];
  readonly hasMore: boolean;
  readonly oldest: number;
}

function* newestNumbers(
  { serviceId, host }: FeedHost,
  port: number | undefined,
  limit: number,
): UnitOfWork<readonly number[]> {
  const range =
    port === undefined ? hostRange('host', serviceId, host) : c2Range(serviceId, host, port);
  return (yield* range.newest(limit)).map(({ number }) => number);
}

function* oldestNumber(
  { serviceId, host }: FeedHost,
  port: number | undefined,
): UnitOfWork<number | undefined> {
  if (port !== undefined)
    return (yield* row(selectOldestOfC2, { service_id: serviceId, host, port }))?.number;
  // A rare host has so few reports that all are read.
  return (
    (yield* oldestListed({ serviceId, host })) ??
    (yield* newestNumbers({ serviceId, host }, undefined, MAX_OF_RARE_HOST)).at(-1)
  );
}

function* loadFeeds(
  found: readonly FeedNumbers[],
  address: HostOrC2,
): UnitOfWork<readonly C2Feed[]> {
  const numbers = found.flatMap((feed) => [...feed.numbers, feed.oldest]);
  const counted = yield* rows(selectCounted, { numbers: toJsonArray([...new Set(numbers)]) });
  const byNumber = new Map(counted.map((one) => [one[0], one]));
  const slugs = yield* each(
    selectSlug,
    found.map(({ serviceId: id }) => ({ id })),
  );
  const rejected = yield* rejectedIn(
    slugs.flatMap(([service]) => service?.slug ?? []),
    address,
  );
  return found.flatMap((feed, index): readonly C2Feed[] => {
    const service = slugs[index]?.[0]?.slug;
    const reports = feed.numbers.flatMap((number) => toCounted(byNumber.get(number)));
    const oldest = byNumber.get(feed.oldest)?.[3];
    const [newest] = reports;
    if (service === undefined || oldest === undefined || newest === undefined) return [];
    const { hasMore } = feed;
    const isC2Rejected = rejected.has(service);
    return [{ service, reports, hasMore, firstReportedAt: new Date(oldest), isC2Rejected }];
  });
}

/** The feeds whose desks have rejected the C2. A host has many C2s. */
function* rejectedIn(
  slugs: readonly string[],
  { host, port }: HostOrC2,
): UnitOfWork<ReadonlySet<string>> {
  if (port === undefined) return new Set();
  const found = yield* areRejected(slugs.map((slug) => ({ slug, host, port })));
  return new Set(slugs.filter((_, index) => found[index]));
}

function toCounted(tuple: CountedTuple | undefined): readonly CountedReport[] {
  if (tuple === undefined) return [];
  const [, status, name, reportedAt, reportedBy] = tuple;
  return [{ status, name, reportedAt: new Date(reportedAt), reportedBy }];
}
