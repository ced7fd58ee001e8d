import { DESK_STATUSES } from '../../../../domain/reports/desk.ts';
import type { ReportFilter } from '../../../../domain/reports/feed-filter.ts';
import { foldName } from '../../../../domain/reports/spellings.ts';
import type { FeedScope } from '../../../../ports/feed-store.ts';
import { toJsonArray } from '../../../units/json-arrays.ts';
import { query } from '../../../units/query.ts';
import { rows, type UnitOfWork } from '../../../units/unit-of-work.ts';
import { areListed } from '../host-reports.ts';
import { type AccessPath, domainSuffix, type IndexKey, type RowFilter } from './list-queries.ts';

const selectFeed = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').select('id').where('slug', '=', parameter.slug),
);

const selectFeeds = query()((db) => db.selectFrom('service').select('id').orderBy('id'));

/** A range of an index with all matches of a source. */
export interface SourceRange {
  readonly path: AccessPath;
  readonly key: IndexKey;
  /** What is tested on the rows of the range. */
  readonly filter: RowFilter;
  /** Whether every row of the range matches the filter. */
  readonly isExact: boolean;
}

/** Reports in the order of their numbers. Each of the ranges would do alone. */
export interface NumberedSource {
  readonly serviceId: number;
  readonly ranges: readonly [SourceRange, ...SourceRange[]];
}

/** The reports of a period, by time: for a filter with a period and nothing else. */
export interface TimeSource {
  readonly serviceId: number;
  readonly period: RowFilter;
}

/** A page is merged from its sources in the order of creation. */
export type Source = NumberedSource | TimeSource;

interface PathRule {
  readonly path: AccessPath;
  /** The conditions that a filter must have to use this index. */
  readonly by: readonly (keyof RowFilter)[];
  /** The rows that the index has. */
  readonly holds: 'everything' | 'unexpired' | 'one status';
  readonly keysOf: (conditions: RowFilter) => readonly IndexKey[];
}

const NO_KEY: IndexKey = { text: null, int: null };

const textKey = (text: string | null): readonly IndexKey[] => [{ text, int: null }];

/** In the order of expected selectivity. */
const PATH_RULES: readonly PathRule[] = [
  { path: 'sha256', by: ['sha256'], holds: 'everything', keysOf: ({ sha256 }) => textKey(sha256) },
  {
    path: 'c2',
    by: ['host', 'port'],
    holds: 'everything',
    keysOf: ({ host, port }) => [{ text: host, int: port }],
  },
  { path: 'host', by: ['host'], holds: 'everything', keysOf: ({ host }) => textKey(host) },
  {
    path: 'tag',
    by: ['tags'],
    holds: 'everything',
    keysOf: ({ tags }) => tagsIn(tags).flatMap(textKey),
  },
  {
    path: 'reporter',
    by: ['reporter'],
    holds: 'unexpired',
    keysOf: ({ reporter }) => textKey(reporter),
  },
  { path: 'status', by: ['status'], holds: 'one status', keysOf: ({ status }) => textKey(status) },
];
/** All reports that have not expired; for filters without an index, too. */
const WHOLE_FEED: PathRule = {
  path: 'status',
  by: [],
  holds: 'one status',
  keysOf: () => DESK_STATUSES.flatMap(textKey),
};

/** The ranges of a source that are compared: with more, comparing costs more than it saves. */
const MAX_RANGES = 4;

/**
 * Over all feeds there is one source for each feed, or a single one: if each feed would have
 * several (one for each status), all reports are scanned in the order of their numbers.
 */
export function* sourcesOf(scope: FeedScope, filter: ReportFilter): UnitOfWork<readonly Source[]> {
  const conditions = conditionsOf(filter);
  const isByTime = !hasOnly(conditions, []) && hasOnly(conditions, ['from', 'to']);
  const [first, ...others] = rulesFor(conditions).flatMap((rule) => rangesOf(rule, conditions));
  if (scope === undefined && first === undefined && !isByTime) {
    const range = { path: 'every', key: NO_KEY, filter: conditions, isExact: false } as const;
    return [{ serviceId: 0, ranges: [range] }];
  }
  const feeds =
    scope === undefined ? yield* rows(selectFeeds, {}) : yield* rows(selectFeed, { slug: scope });
  if (isByTime) return feeds.map(({ id: serviceId }) => ({ serviceId, period: conditions }));
  if (first === undefined) return feeds.flatMap(({ id }) => sourcesOfFeed(id, conditions));
  const ranges = [first, ...others.slice(0, MAX_RANGES - 1)] as const;
  const sources = feeds.map(({ id: serviceId }) => ({ serviceId, ranges }));
  return ranges.some(({ path }) => path === 'host')
    ? yield* sourcesOfHost(sources, conditions.host ?? '')
    : sources;
}

/** One for each status. */
function sourcesOfFeed(serviceId: number, conditions: RowFilter): readonly NumberedSource[] {
  return rangesOf(WHOLE_FEED, conditions).map((range) => ({ serviceId, ranges: [range] }));
}

/** The rules whose indexes have all matches; none if the feed must be scanned. */
function rulesFor(conditions: RowFilter): readonly PathRule[] {
  const usable = PATH_RULES.filter((rule) => isUsable(rule, conditions));
  const exact = usable.find((rule) => isExactFor(rule, conditions));
  if (exact !== undefined) return [exact];
  // The reports of a C2 are among those of its host.
  const isByC2 = usable.some(({ path }) => path === 'c2');
  return isByC2 ? usable.filter(({ path }) => path !== 'host') : usable;
}

function isExactFor({ holds, by }: PathRule, conditions: RowFilter): boolean {
  return holds !== 'everything' && hasOnly(conditions, by);
}

function rangesOf(rule: PathRule, conditions: RowFilter): readonly SourceRange[] {
  const { path } = rule;
  const isExact = isExactFor(rule, conditions);
  return rule
    .keysOf(conditions)
    .map((key) => ({ path, key, isExact, filter: remainingOf(conditions, rule, key) }));
}

/** Feeds in which the host is rare are read another way: it has few reports there. */
function* sourcesOfHost(
  sources: readonly NumberedSource[],
  host: string,
): UnitOfWork<readonly NumberedSource[]> {
  const frequent = yield* areListed(sources.map(({ serviceId }) => ({ serviceId, host })));
  return sources.map((source, index) => {
    const range = source.ranges.find(({ path }) => path === 'host');
    if (range === undefined || frequent[index]) return source;
    return { ...source, ranges: [{ ...range, path: 'rareHost' }] };
  });
}

/** Replaces a source by time with sources of the same reports by number. */
export function byNumber(source: Source): readonly NumberedSource[] {
  return 'ranges' in source ? [source] : sourcesOfFeed(source.serviceId, source.period);
}

function conditionsOf(filter: ReportFilter): RowFilter {
  const tags = [...new Set(filter.tags ?? [])];
  return {
    status: filter.status ?? null,
    name: filter.name === undefined ? null : foldName(filter.name),
    host: filter.host ?? null,
    domain: domainSuffix(filter.domain),
    port: filter.port ?? null,
    sha256: filter.sha256 ?? null,
    reporter: filter.reporter ?? null,
    // Every report has a confidence of at least 0.
    minConfidence: (filter.minConfidence ?? 0) <= 0 ? null : (filter.minConfidence ?? null),
    confirmation: filter.confirmation ?? null,
    misrouted: filter.misrouted === undefined ? null : Number(filter.misrouted),
    from: filter.createdAfter?.toISOString() ?? null,
    to: filter.createdBefore?.toISOString() ?? null,
    tags: tags.length === 0 ? null : toJsonArray(tags),
  };
}

function isUsable({ by, holds }: PathRule, conditions: RowFilter): boolean {
  const hasRows = conditions.status !== 'expired' || holds !== 'unexpired';
  return hasRows && by.every((name) => conditions[name] !== null);
}

/** Whether the filter has no other conditions than these. */
function hasOnly(conditions: RowFilter, names: readonly (keyof RowFilter)[]): boolean {
  return Object.entries(conditions).every(
    ([name, value]) => value === null || names.includes(name as keyof RowFilter),
  );
}

/**
 * The conditions that the range does not answer. The status stays, since `null` excludes expired
 * ones.
 */
function remainingOf(conditions: RowFilter, { path, by }: PathRule, key: IndexKey): RowFilter {
  const answered = by.filter((name) => name !== 'status');
  const remaining = { ...conditions, ...Object.fromEntries(answered.map((name) => [name, null])) };
  if (path !== 'tag') return remaining;
  const others = tagsIn(conditions.tags).filter((tag) => tag !== key.text);
  return { ...remaining, tags: others.length === 0 ? null : toJsonArray(others) };
}

function tagsIn(list: string | null): readonly string[] {
  return list === null ? [] : JSON.parse(list);
}
