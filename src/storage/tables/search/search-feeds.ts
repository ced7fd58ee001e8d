import { sql } from 'kysely';
import { foldText, hasWords, reverseHost, wordsOfNames } from '../../../domain/search-query.ts';
import { each, ONE, query, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { isOfFile } from '../reports/file-key.ts';
import { hostKey } from './search-terms.ts';
import { newestWithWords } from './search-text.ts';

/** The feeds, and the names, tags and hosts in them, whose reports a search reads. */

/** The limit on names and tags, or on hosts, of all feeds for one search. */
const MAX_FEED_TEXTS = 2000;
/** The limit on names and tags with the words of a search. */
const MAX_TERMS = 100;
/** The number of newest reports scanned for subdomains before the index of hosts is read. */
const NEWEST_SCANNED = 2000;

const selectNextFeed = query<{ sha256: string; after: number }>()((db, parameter, dialect) =>
  db
    .selectFrom('report')
    .select('service_id as id')
    .where(isOfFile(parameter.sha256, dialect))
    .where('service_id', '>', parameter.after)
    .orderBy('service_id')
    .limit(ONE),
);

const selectFeedsOfHost = query<{ reversed: string }>()((db, parameter) =>
  db
    .selectFrom('search_host')
    .select('service_id as id')
    .where('reversed', '=', parameter.reversed),
);

const selectFeeds = query()((db) => db.selectFrom('service').select('id'));

const selectNames = query<{ folded: string }>()((db, parameter) =>
  db
    .selectFrom('account')
    .select('name')
    .where(sql<boolean>`lower(name) = lower(${parameter.folded})`)
    .limit(MAX_TERMS),
);

const selectExact = query<{ folded: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('search_term')
    .select(['service_id as serviceId', 'text'])
    .where('folded', '=', parameter.folded)
    .limit(parameter.limit),
);

const selectTerm = query<{ id: number }>()((db, parameter) =>
  db
    .selectFrom('search_term')
    .select(['service_id as serviceId', 'text', 'folded'])
    .where('id', '=', parameter.id),
);

const selectNewest = query<{ limit: number }>()((db, parameter) =>
  db
    .selectFrom('report')
    .select(['number', 'host'])
    .orderBy('number', 'desc')
    .limit(parameter.limit),
);

const selectBelow = query<{ from: string; to: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('search_host')
    .select(['reversed', 'service_id as serviceId'])
    .where('reversed', '>', parameter.from)
    .where('reversed', '<', parameter.to)
    .orderBy('reversed')
    .limit(parameter.limit),
);

/** Skips from feed to feed in the index: a file may have a million reports in one feed. */
export function* feedsOfHash(sha256: string): UnitOfWork<readonly number[]> {
  const feeds: number[] = [];
  let next = yield* row(selectNextFeed, { sha256, after: 0 });
  while (next !== undefined) {
    feeds.push(next.id);
    next = yield* row(selectNextFeed, { sha256, after: next.id });
  }
  return feeds;
}

export function* feedsOfHost(host: string): UnitOfWork<readonly number[]> {
  return (yield* rows(selectFeedsOfHost, { reversed: hostKey(host) })).map(({ id }) => id);
}

export interface FeedText {
  readonly serviceId: number;
  readonly text: string;
}

/** The accounts with that name, in every feed: there is no index of the feeds they reported to. */
export function* accountsNamed(text: string): UnitOfWork<readonly FeedText[]> {
  const names = yield* rows(selectNames, { folded: text });
  if (names.length === 0) return [];
  const feeds = yield* rows(selectFeeds, {});
  return feeds.flatMap(({ id }) => names.map(({ name }) => ({ serviceId: id, text: name })));
}

/** The names and tags that equal the text, ignoring case. */
export function* termsNamed(text: string): UnitOfWork<readonly FeedText[]> {
  return yield* rows(selectExact, { folded: foldText(text), limit: MAX_FEED_TEXTS });
}

/** The newest names and tags that contain the words, without those that equal the text. */
export function* termsWith(
  words: readonly string[],
  text: string,
): UnitOfWork<readonly FeedText[]> {
  const folded = foldText(text);
  const terms = yield* newestWithWords('term_text', words, MAX_TERMS);
  const found = yield* each(
    selectTerm,
    terms.map((id) => ({ id })),
  );
  return found
    .flat()
    .filter((term) => term.folded !== folded && hasWords(wordsOfNames([term.text]), words));
}

export interface NewestBelow {
  readonly numbers: readonly number[];
  /** Whether no other report of a subdomain can be among the newest. */
  readonly complete: boolean;
}

/**
 * The reports of subdomains among the newest of all: enough for a name with very many subdomains.
 */
export function* newestBelow(name: string, limit: number): UnitOfWork<NewestBelow> {
  const newest = yield* rows(selectNewest, { limit: NEWEST_SCANNED });
  const end = `.${name}`;
  const below = newest.filter(({ host }) => host.endsWith(end)).map(({ number }) => number);
  return {
    numbers: below.slice(0, limit),
    complete: below.length >= limit || newest.length < NEWEST_SCANNED,
  };
}

/** The first subdomains of that name in alphabetical order. */
export function* hostsBelow(name: string): UnitOfWork<readonly FeedText[]> {
  const reversed = reverseHost(name);
  // `/` follows `.` in ASCII: the range has everything that starts with the name and a dot.
  const range = { from: `${reversed}.`, to: `${reversed}/` };
  const found = yield* rows(selectBelow, { ...range, limit: MAX_FEED_TEXTS });
  return found.map((host) => ({ serviceId: host.serviceId, text: reverseHost(host.reversed) }));
}
