import { DESK_STATUSES } from '../../../domain/reports/desk.ts';
import type { ReportFilter } from '../../../domain/reports/feed-filter.ts';
import type { FeedScope } from '../../../ports/feed-store.ts';
import { query, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { toList } from '../json-arrays.ts';
import type { Key, Rest, Way } from './list-queries.ts';

interface Feed {
  readonly id: number;
  readonly confidence_scale: number;
}

const selectFeed = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').select(['id', 'confidence_scale']).where('slug', '=', parameter.slug),
);

const selectFeeds = query()((db) =>
  db.selectFrom('service').select(['id', 'confidence_scale']).orderBy('id'),
);

/** Where reports are looked for. Those of several sources are put together in the order of creation. */
export interface Source {
  readonly serviceId: number;
  /** By time where nothing but a range of it is asked for. */
  readonly way: Way | 'time';
  readonly key: Key;
  readonly rest: Rest;
  /** Whether everything on this way fits. */
  readonly isExact: boolean;
}

interface Path {
  readonly way: Source['way'];
  /** What a filter must ask for to be answered so. */
  readonly by: readonly (keyof Rest)[];
  /** What is found there. */
  readonly holds: 'everything' | 'unexpired' | 'one status';
  readonly keysOf: (wanted: Rest, feed: Feed) => readonly Key[];
}

const NO_KEY: Key = { text: null, int: null };

const textKey = (text: string | null): readonly Key[] => [{ text, int: null }];

/** The first that is possible is taken: the one on which there is the least to pass by, as far as can be told. */
const PATHS: readonly Path[] = [
  { way: 'sha256', by: ['sha256'], holds: 'everything', keysOf: ({ sha256 }) => textKey(sha256) },
  {
    way: 'c2',
    by: ['host', 'port'],
    holds: 'everything',
    keysOf: ({ host, port }) => [{ text: host, int: port }],
  },
  { way: 'host', by: ['host'], holds: 'unexpired', keysOf: ({ host }) => textKey(host) },
  {
    way: 'tag',
    by: ['tags'],
    holds: 'everything',
    keysOf: ({ tags }) => textKey(tagsIn(tags)[0] ?? null),
  },
  {
    way: 'reporter',
    by: ['reporter'],
    holds: 'unexpired',
    keysOf: ({ reporter }) => textKey(reporter),
  },
  {
    way: 'port',
    by: ['port'],
    holds: 'unexpired',
    keysOf: ({ port }) => [{ text: null, int: port }],
  },
  { way: 'status', by: ['status'], holds: 'one status', keysOf: ({ status }) => textKey(status) },
  { way: 'confidence', by: ['minConfidence'], holds: 'unexpired', keysOf: confidenceKeys },
];
/** Where nothing else is asked for. */
const BY_TIME: Path = {
  way: 'time',
  by: ['from', 'to'],
  holds: 'unexpired',
  keysOf: () => textKey(null),
};
/** All that has not expired. */
const WHOLE_FEED: Path = {
  way: 'status',
  by: [],
  holds: 'one status',
  keysOf: () => DESK_STATUSES.flatMap(textKey),
};

/**
 * Over all feeds there is one source for each feed, or a single one: where a feed alone would have many sources (one for
 * each status or each value of the confidence), all reports are looked at in order of their numbers.
 */
export function* sourcesOf(scope: FeedScope, filter: ReportFilter): UnitOfWork<readonly Source[]> {
  const wanted = wantedOf(filter);
  const others = isOnly(wanted, []) ? WHOLE_FEED : BY_TIME;
  const path = PATHS.find((one) => isPossible(one, wanted)) ?? others;
  if (scope === undefined && (path === WHOLE_FEED || path.way === 'confidence'))
    return [{ serviceId: 0, way: 'every', key: NO_KEY, rest: wanted, isExact: false }];
  const feeds =
    scope === undefined ? yield* rows(selectFeeds, {}) : yield* rows(selectFeed, { slug: scope });
  const { way, holds, by, keysOf } = path;
  const isExact = holds !== 'everything' && isOnly(wanted, by);
  const common = { way, isExact, rest: restOf(wanted, path) };
  return feeds.flatMap((feed) =>
    keysOf(wanted, feed).map((key) => ({ ...common, serviceId: feed.id, key })),
  );
}

/** Sources of the same reports, none of them by time. */
export function byNumber(source: Source): readonly (Source & { readonly way: Way })[] {
  const { way } = source;
  if (way !== 'time') return [{ ...source, way }];
  return DESK_STATUSES.flatMap(textKey).map((key) => ({ ...source, way: 'status', key }));
}

/** Everything that the filter says. */
function wantedOf(filter: ReportFilter): Rest {
  const tags = [...new Set(filter.tags ?? [])];
  return {
    status: filter.status ?? null,
    host: filter.host ?? null,
    port: filter.port ?? null,
    sha256: filter.sha256 ?? null,
    reporter: filter.reporter ?? null,
    // Everything has some.
    minConfidence: (filter.minConfidence ?? 0) <= 0 ? null : (filter.minConfidence ?? null),
    from: filter.createdAfter?.toISOString() ?? null,
    to: filter.createdBefore?.toISOString() ?? null,
    tags: tags.length === 0 ? null : toList(tags),
  };
}

function isPossible({ by, holds }: Path, wanted: Rest): boolean {
  const isThere = wanted.status !== 'expired' || holds !== 'unexpired';
  return isThere && by.every((name) => wanted[name] !== null);
}

/** Whether nothing but these is asked for. */
function isOnly(wanted: Rest, names: readonly (keyof Rest)[]): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => value === null || names.includes(name as keyof Rest),
  );
}

/** What the way leaves to be compared. Without a status only what has not expired would fit. */
function restOf(wanted: Rest, { way, by }: Path): Rest {
  const met = way === 'time' ? [] : by.filter((name) => name !== 'status');
  const rest = { ...wanted, ...Object.fromEntries(met.map((name) => [name, null])) };
  return way === 'tag' && tagsIn(wanted.tags).length > 1 ? { ...rest, tags: wanted.tags } : rest;
}

function tagsIn(list: string | null): readonly string[] {
  return list === null ? [] : JSON.parse(list);
}

/** A key for each value on the feed's scale that is high enough. */
function confidenceKeys({ minConfidence }: Rest, { confidence_scale: most }: Feed): readonly Key[] {
  const least = Math.max(0, Math.ceil(minConfidence ?? 0));
  const count = Math.max(0, most - least + 1);
  return Array.from({ length: count }, (_, at) => ({ text: null, int: least + at }));
}
