import { sql } from 'kysely';
import { foldText, hasWords, reverseHost, wordsOfNames } from '../../../domain/search-query.ts';
import { each, ONE, query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { hostKey } from './search-terms.ts';
import { newestWithWords } from './search-text.ts';

/** In which feeds there is something to be found. */

/** So many names, tags or hosts of feeds are looked at for one question. */
const MOST_PLACES = 2000;
/** So many names and tags that have the words. */
const MOST_TERMS = 100;
/** So many of the newest reports are looked at before their hosts are looked for in order. */
const NEWEST = 2000;

const selectNextFeed = query<{ sha256: string; after: number }>()((db, parameter) =>
  db
    .selectFrom('report')
    .select('service_id as id')
    .where('sha256', '=', parameter.sha256)
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
    .limit(MOST_TERMS),
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

/** Goes from feed to feed, not from report to report: a file may have been reported a million times. */
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

/** The accounts of that name, in every feed: nothing says in which of them they have reported. */
export function* accountsNamed(text: string): UnitOfWork<readonly FeedText[]> {
  const names = yield* rows(selectNames, { folded: text });
  if (names.length === 0) return [];
  const feeds = yield* rows(selectFeeds, {});
  return feeds.flatMap(({ id }) => names.map(({ name }) => ({ serviceId: id, text: name })));
}

/** The names and tags that are that text, whatever its case. */
export function* termsNamed(text: string): UnitOfWork<readonly FeedText[]> {
  return yield* rows(selectExact, { folded: foldText(text), limit: MOST_PLACES });
}

/** The newest names and tags that have the words and more. */
export function* termsWith(
  words: readonly string[],
  text: string,
): UnitOfWork<readonly FeedText[]> {
  const folded = foldText(text);
  const terms = yield* newestWithWords('term_text', words, MOST_TERMS);
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
  /** Whether no other report below that name can be newer than these, or there is none. */
  readonly complete: boolean;
}

/** The reports below that name among the newest of all: of a name with very many hosts below it, all that are wanted. */
export function* newestBelow(name: string, limit: number): UnitOfWork<NewestBelow> {
  const newest = yield* rows(selectNewest, { limit: NEWEST });
  const end = `.${name}`;
  const below = newest.filter(({ host }) => host.endsWith(end)).map(({ number }) => number);
  return {
    numbers: below.slice(0, limit),
    complete: below.length >= limit || newest.length < NEWEST,
  };
}

/** Hosts below that name, the first in the order of their names. */
export function* hostsBelow(name: string): UnitOfWork<readonly FeedText[]> {
  const reversed = reverseHost(name);
  // The sign after the dot: everything in between begins with the name and a dot.
  const range = { from: `${reversed}.`, to: `${reversed}/` };
  const found = yield* rows(selectBelow, { ...range, limit: MOST_PLACES });
  return found.map((host) => ({ serviceId: host.serviceId, text: reverseHost(host.reversed) }));
}
