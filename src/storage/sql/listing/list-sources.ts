import { DESK_STATUSES } from '../../../domain/reports/desk.ts';
import type { ReportFilter } from '../../../domain/reports/feed-filter.ts';
import type { FeedScope } from '../../../ports/feed-store.ts';
import { query, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { toJsonArray } from '../json-arrays.ts';
import { areListed } from '../reports/host-reports.ts';
import type { AccessPath, IndexKey, RowFilter } from './list-queries.ts';

const selectFeed = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').select('id').where('slug', '=', parameter.slug),
);

const selectFeeds = query()((db) => db.selectFrom('service').select('id').orderBy('id'));

/** One range of an index. A page is merged from its sources in the order of creation. */
export interface Source {
  readonly serviceId: number;
  /** `time` if the filter has a range of time and nothing else. */
  readonly path: AccessPath | 'time';
  readonly key: IndexKey;
  readonly filter: RowFilter;
  /** Whether every row of the range matches the filter. */
  readonly isExact: boolean;
}

interface PathRule {
  readonly path: Source['path'];
  /** The conditions that a filter must have to use this index. */
  readonly by: readonly (keyof RowFilter)[];
  /** The rows that the index has. */
  readonly holds: 'everything' | 'unexpired' | 'one status';
  readonly keysOf: (conditions: RowFilter) => readonly IndexKey[];
}

const NO_KEY: IndexKey = { text: null, int: null };

const textKey = (text: string | null): readonly IndexKey[] => [{ text, int: null }];

/** The first that the filter allows is used, in the order of expected selectivity. */
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
    keysOf: ({ tags }) => textKey(tagsIn(tags)[0] ?? null),
  },
  {
    path: 'reporter',
    by: ['reporter'],
    holds: 'unexpired',
    keysOf: ({ reporter }) => textKey(reporter),
  },
  { path: 'status', by: ['status'], holds: 'one status', keysOf: ({ status }) => textKey(status) },
];
/** For a filter by time alone. */
const BY_TIME: PathRule = {
  path: 'time',
  by: ['from', 'to'],
  holds: 'unexpired',
  keysOf: () => textKey(null),
};
/** All reports that have not expired; also for filters without an index. */
const WHOLE_FEED: PathRule = {
  path: 'status',
  by: [],
  holds: 'one status',
  keysOf: () => DESK_STATUSES.flatMap(textKey),
};

/**
 * Over all feeds there is one source for each feed, or a single one: if each feed would have
 * several (one for each status), all reports are scanned in the order of their numbers.
 */
export function* sourcesOf(scope: FeedScope, filter: ReportFilter): UnitOfWork<readonly Source[]> {
  const conditions = conditionsOf(filter);
  const isByTime = !hasOnly(conditions, []) && hasOnly(conditions, BY_TIME.by);
  const rule =
    PATH_RULES.find((one) => isUsable(one, conditions)) ?? (isByTime ? BY_TIME : WHOLE_FEED);
  if (scope === undefined && rule === WHOLE_FEED)
    return [{ serviceId: 0, path: 'every', key: NO_KEY, filter: conditions, isExact: false }];
  const feeds =
    scope === undefined ? yield* rows(selectFeeds, {}) : yield* rows(selectFeed, { slug: scope });
  const { path, holds, by, keysOf } = rule;
  const isExact = holds !== 'everything' && hasOnly(conditions, by);
  const common = { path, isExact, filter: remainingOf(conditions, rule) };
  const sources = feeds.flatMap(({ id: serviceId }) =>
    keysOf(conditions).map((key) => ({ ...common, serviceId, key })),
  );
  return path === 'host' ? yield* sourcesOfHost(sources, conditions.host ?? '') : sources;
}

/** Feeds in which the host is rare are read another way. */
function* sourcesOfHost(sources: readonly Source[], host: string): UnitOfWork<readonly Source[]> {
  const frequent = yield* areListed(sources.map(({ serviceId }) => ({ serviceId, host })));
  return sources.map((source, index) =>
    frequent[index] ? source : { ...source, path: 'rareHost' },
  );
}

/** Replaces a source by time with sources of the same reports by number. */
export function byNumber(source: Source): readonly (Source & { readonly path: AccessPath })[] {
  const { path } = source;
  if (path !== 'time') return [{ ...source, path }];
  return DESK_STATUSES.flatMap(textKey).map((key) => ({ ...source, path: 'status', key }));
}

function conditionsOf(filter: ReportFilter): RowFilter {
  const tags = [...new Set(filter.tags ?? [])];
  return {
    status: filter.status ?? null,
    name: filter.name ?? null,
    host: filter.host ?? null,
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
 * The conditions that the index does not answer. The status stays, since `null` excludes expired
 * ones.
 */
function remainingOf(conditions: RowFilter, { path, by }: PathRule): RowFilter {
  const answered = path === 'time' ? [] : by.filter((name) => name !== 'status');
  const remaining = { ...conditions, ...Object.fromEntries(answered.map((name) => [name, null])) };
  return path === 'tag' && tagsIn(conditions.tags).length > 1
    ? { ...remaining, tags: conditions.tags }
    : remaining;
}

function tagsIn(list: string | null): readonly string[] {
  return list === null ? [] : JSON.parse(list);
}
