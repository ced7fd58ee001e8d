import type { Report } from '../../../domain/reports/report.ts';
import { isInNetwork, type SearchInput, type SearchMatch } from '../../../domain/search-query.ts';
import { selectNames } from '../../tables/accounts/account-names.ts';
import { selectFound } from '../../tables/reports/found-reports.ts';
import { newestWithHost } from '../../tables/reports/newest-reports.ts';
import { fromRow } from '../../tables/reports/report-rows.ts';
import { feedsOfHash } from '../../tables/reports/reports-of-file.ts';
import {
  c2Range,
  hashRange,
  hostRange,
  newestOfRanges,
  type Range,
  reporterRanges,
  textRanges,
} from '../../tables/reports/search-ranges.ts';
import {
  type FeedText,
  feedsOfHost,
  hostsBelow,
  hostsInNetwork,
  termsNamed,
  termsWith,
} from '../../tables/search/search-feeds.ts';
import { selectFeeds } from '../../tables/services/feed-rows.ts';
import type { Bounded } from '../../units/bounded.ts';
import { toJsonArray } from '../../units/json-arrays.ts';
import { rows, type UnitOfWork } from '../../units/unit-of-work.ts';

export interface FoundReport {
  readonly match: SearchMatch;
  readonly report: Report;
}

/** The reports with these numbers, newest first. */
export function* reportsNumbered(numbers: readonly number[]): UnitOfWork<readonly Report[]> {
  if (numbers.length === 0) return [];
  const found = yield* rows(selectFound, { numbers: toJsonArray(numbers) });
  return found.toSorted((one, other) => other.number - one.number).map(fromRow);
}

type Numbers = ReadonlyMap<number, SearchMatch>;

/** The newest reports of the file with that SHA-256. */
export function* reportsOfFile(
  sha256: string,
  match: SearchMatch,
  limit: number,
): UnitOfWork<readonly FoundReport[]> {
  const feeds = yield* feedsOfHash(sha256);
  const ranges = feeds.map((serviceId) => hashRange(match, serviceId, sha256));
  return yield* load(yield* newestOfRanges(ranges, limit));
}

/** The newest exact matches. */
export function* exactReports(
  input: SearchInput,
  limit: number,
): UnitOfWork<readonly FoundReport[]> {
  const { text, c2, host } = input;
  if (c2 !== undefined) {
    const feeds = yield* feedsOfHost(c2.host);
    const ranges = feeds.map((serviceId) => c2Range(serviceId, c2.host, c2.port));
    return yield* load(yield* newestOfRanges(ranges, limit));
  }
  const ranges: Range[] = host === undefined ? [] : [...(yield* rangesOfHost(host))];
  for (const term of yield* termsNamed(text))
    ranges.push(...textRanges(['name', 'tag'], term.serviceId, term.text));
  for (const account of yield* accountsNamed(text))
    ranges.push(...reporterRanges(account.serviceId, account.text));
  return yield* load(yield* newestOfRanges(ranges, limit));
}

/** The newest partial matches; may include exact ones. */
export function* partialReports(
  input: SearchInput,
  limit: number,
): UnitOfWork<Bounded<FoundReport>> {
  const { text, c2, words } = input;
  // For a C2: the other ports of its host.
  const ranges: Range[] = c2 === undefined ? [] : [...(yield* rangesOfHost(c2.host))];
  const terms = yield* termsWith(words, text);
  for (const term of terms.found)
    ranges.push(...textRanges(['text', 'text'], term.serviceId, term.text));
  const found = new Map<number, SearchMatch>(yield* newestOfRanges(ranges, limit));
  const ofHosts = yield* numbersOfHosts(input, limit);
  for (const [number, match] of ofHosts.found) found.set(number, match);
  const newest = [...found].sort(([one], [other]) => other - one);
  return {
    found: yield* load(new Map(newest.slice(0, limit))),
    isBounded: terms.isBounded || ofHosts.isBounded,
  };
}

function* rangesOfHost(host: string): UnitOfWork<readonly Range[]> {
  const feeds = yield* feedsOfHost(host);
  return feeds.map((serviceId) => hostRange('host', serviceId, host));
}

/** The reports of the subdomains of a name, or of the addresses in a network. */
function* numbersOfHosts(
  { below, network }: SearchInput,
  limit: number,
): UnitOfWork<Bounded<readonly [number, SearchMatch]>> {
  if (network !== undefined)
    return yield* newestOfHosts(
      { match: 'network', isWanted: (host) => isInNetwork(host, network), limit },
      () => hostsInNetwork(network),
    );
  if (below === undefined) return { found: [], isBounded: false };
  const end = `.${below}`;
  return yield* newestOfHosts(
    { match: 'suffix', isWanted: (host) => host.endsWith(end), limit },
    () => hostsBelow(below),
  );
}

interface WantedHosts {
  readonly match: SearchMatch;
  readonly isWanted: (host: string) => boolean;
  readonly limit: number;
}

/** There may be very many hosts, as of tunnel services, so the newest reports are scanned first. */
function* newestOfHosts(
  { match, isWanted, limit }: WantedHosts,
  readHosts: () => UnitOfWork<Bounded<FeedText>>,
): UnitOfWork<Bounded<readonly [number, SearchMatch]>> {
  const { numbers, complete } = yield* newestWithHost(isWanted, limit);
  const newest = new Map(numbers.map((number) => [number, match] as const));
  if (complete) return { found: [...newest], isBounded: false };
  const hosts = yield* readHosts();
  const ranges = hosts.found.map(({ serviceId, text }) => hostRange(match, serviceId, text));
  const found = new Map([...newest, ...(yield* newestOfRanges(ranges, limit))]);
  return { found: [...found], isBounded: hosts.isBounded };
}

function* load(found: Numbers): UnitOfWork<readonly FoundReport[]> {
  if (found.size === 0) return [];
  const loaded = yield* rows(selectFound, { numbers: toJsonArray([...found.keys()]) });
  return loaded.map((row) => ({ match: found.get(row.number) ?? 'text', report: fromRow(row) }));
}

/** The accounts with that name, in every feed: there is no index of the feeds they reported to. */
function* accountsNamed(text: string): UnitOfWork<readonly FeedText[]> {
  const names = yield* rows(selectNames, { folded: text });
  if (names.length === 0) return [];
  const feeds = yield* rows(selectFeeds, {});
  return feeds.flatMap(({ id }) => names.map(({ name }) => ({ serviceId: id, text: name })));
}
