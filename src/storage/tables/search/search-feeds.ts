import type { Network } from '../../../domain/ip-address.ts';
import { networkRanges, type TextRange } from '../../../domain/network-ranges.ts';
import {
  foldText,
  hasWords,
  hostKey,
  isInNetwork,
  reverseHost,
  wordsOfNames,
} from '../../../domain/search-query.ts';
import type { Bounded } from '../../units/bounded.ts';
import { ONE, query } from '../../units/query.ts';
import { each, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { newestWithWords } from './search-text.ts';

/** The feeds, and the names, tags and hosts in them, whose reports a search reads. */

/** The limit on names and tags, or on hosts, of all feeds for one search. */
const MAX_FEED_TEXTS = 2000;

/** The limit on the hosts of a network: a list may have a hundred networks. */
const MAX_NETWORK_HOSTS = 500;

/** The limit on names and tags with the words of a search. */
const MAX_TERMS = 100;

const selectFeedsOfHost = query<{ reversed: string }>()((db, parameter) =>
  db
    .selectFrom('search_host')
    .select('service_id as id')
    .where('reversed', '=', parameter.reversed),
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

const selectHosts = query<{ from: string; to: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('search_host')
    .select(['reversed', 'service_id as serviceId'])
    .where('reversed', '>=', parameter.from)
    .where('reversed', '<', parameter.to)
    .orderBy('reversed')
    .limit(parameter.limit),
);

const selectNextHost = query<{ after: string; to: string }>()((db, parameter) =>
  db
    .selectFrom('search_host')
    .select('reversed')
    .where('reversed', '>', parameter.after)
    .where('reversed', '<', parameter.to)
    .orderBy('reversed')
    .limit(ONE),
);

/** The key of the next reported host; none if there is none. */
export function* nextReportedHost(range: {
  readonly after: string;
  readonly to: string;
}): UnitOfWork<readonly string[]> {
  return (yield* rows(selectNextHost, { ...range })).map(({ reversed }) => reversed);
}

export function* feedsOfHost(host: string): UnitOfWork<readonly number[]> {
  return (yield* rows(selectFeedsOfHost, { reversed: hostKey(host) })).map(({ id }) => id);
}

export interface FeedText {
  readonly serviceId: number;
  readonly text: string;
}

/** The names and tags that equal the text, ignoring case. */
export function* termsNamed(text: string): UnitOfWork<readonly FeedText[]> {
  return yield* rows(selectExact, { folded: foldText(text), limit: MAX_FEED_TEXTS });
}

/** The newest names and tags that contain the words, without those that equal the text. */
export function* termsWith(words: readonly string[], text: string): UnitOfWork<Bounded<FeedText>> {
  const folded = foldText(text);
  const terms = yield* newestWithWords('term_text', words, MAX_TERMS);
  const found = yield* each(
    selectTerm,
    terms.map((id) => ({ id })),
  );
  return {
    found: found
      .flat()
      .filter((term) => term.folded !== folded && hasWords(wordsOfNames([term.text]), words)),
    isBounded: terms.length >= MAX_TERMS,
  };
}

/** The first subdomains of that name in alphabetical order. */
export function* hostsBelow(name: string): UnitOfWork<Bounded<FeedText>> {
  const reversed = reverseHost(name);
  // `/` follows `.` in ASCII: the range has everything that starts with the name and a dot.
  const { found, isBounded } = yield* hostsIn(
    [{ from: `${reversed}.`, to: `${reversed}/` }],
    MAX_FEED_TEXTS,
  );
  return { found: found.map((host) => ({ ...host, text: reverseHost(host.text) })), isBounded };
}

/** The first addresses in a network in the order of their texts. */
export function* hostsInNetwork(network: Network): UnitOfWork<Bounded<FeedText>> {
  const { found, isBounded } = yield* hostsIn(networkRanges(network), MAX_NETWORK_HOSTS);
  return { found: found.filter(({ text }) => isInNetwork(text, network)), isBounded };
}

/** The keys of hosts. Reads no more rows than the limit, however many ranges there are. */
function* hostsIn(ranges: readonly TextRange[], max: number): UnitOfWork<Bounded<FeedText>> {
  const found: FeedText[] = [];
  for (const range of ranges) {
    const limit = max - found.length;
    if (limit === 0) break;
    const hosts = yield* rows(selectHosts, { ...range, limit });
    found.push(...hosts.map(({ reversed: text, serviceId }) => ({ serviceId, text })));
  }
  return { found, isBounded: found.length >= max };
}
