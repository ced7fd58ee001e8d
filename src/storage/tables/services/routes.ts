import { sql } from 'kysely';
import {
  type ContainingKeys,
  type IpVersion,
  keysOfHost,
  NETWORK_KEY_START,
  type Route,
} from '../../../domain/services/route.ts';
import { textRows, toJsonArray } from '../../units/json-arrays.ts';
import { ONE, query } from '../../units/query.ts';
import { each, inParallel, type UnitOfWork } from '../../units/unit-of-work.ts';

/**
 * The most specific pattern that contains a host or another pattern. One statement looks for a host
 * under all its keys, the most specific first, and stops at the first that exists. The subquery
 * with a limit stays a lookup for each key; PostgreSQL would make `exists` a join.
 */

/** `without` is the service whose patterns are ignored; empty: none. */
interface NameValues {
  keys: string;
  without: string;
}

const selectByName = query<NameValues>()((db, parameter, dialect) =>
  db
    .selectFrom('service_pattern')
    .select(['slug', 'pattern', 'verified'])
    .where('key', '=', ({ selectFrom }) =>
      selectFrom(textRows(parameter.keys, dialect).as('wanted'))
        .select('wanted.value')
        .where(
          ({ selectFrom: other, ref }) =>
            other('service_pattern as declared')
              .select(sql<number>`1`.as('one'))
              .where('declared.key', '=', ref('wanted.value'))
              .where('declared.slug', '<>', parameter.without)
              .limit(ONE),
          'is not',
          null,
        )
        .limit(ONE),
    )
    .where('slug', '<>', parameter.without)
    .orderBy('verified', 'desc')
    .orderBy('slug')
    .limit(ONE),
);

interface NetworkValues {
  version: IpVersion;
  /** The key of the address or the network. */
  key: string;
  /** The longest prefix that may be found. */
  longest: number;
  without: string;
}

/**
 * Only lengths of prefixes that some service declares are tried, and no longer ones than the
 * address has in common with the key before it: all keys between a prefix of the address and the
 * address begin with that prefix.
 */
const selectByNetwork = query<NetworkValues>()((db, parameter) => {
  const key = sql<string>`cast(${parameter.key} as text)`;
  const before = db
    .selectFrom('service_pattern as previous')
    .select('previous.key')
    .where('previous.key', '<=', key)
    .orderBy('previous.key', 'desc')
    // So that PostgreSQL uses the primary key, whatever the statistics say.
    .orderBy('previous.slug', 'desc')
    .limit(ONE);
  const characters = sql`cast(network_length.length + ${sql.lit(NETWORK_KEY_START)} as integer)`;
  const prefix = sql<string>`substr(${key}, 1, ${characters})`;
  return db
    .selectFrom('service_pattern')
    .select(['slug', 'pattern', 'verified'])
    .where('key', '=', ({ selectFrom }) =>
      selectFrom('network_length')
        .select(prefix.as('prefix'))
        .where('version', '=', parameter.version)
        .where('length', '<=', parameter.longest)
        .where(sql<string>`substr((${before}), 1, ${characters})`, '=', prefix)
        .where(
          ({ selectFrom: other }) =>
            other('service_pattern as declared')
              .select(sql<number>`1`.as('one'))
              .where('declared.key', '=', prefix)
              .where('declared.slug', '<>', parameter.without)
              .limit(ONE),
          'is not',
          null,
        )
        .orderBy('length', 'desc')
        .limit(ONE),
    )
    .where('slug', '<>', parameter.without)
    .orderBy('verified', 'desc')
    .orderBy('slug')
    .limit(ONE);
});

/**
 * For each canonical host the service with the most specific pattern that matches it. Hosts that no
 * service declares are missing. One step, so that a create reads it together with others.
 */
export function* routesOf(hosts: readonly string[]): UnitOfWork<ReadonlyMap<string, Route>> {
  const distinct = [...new Set(hosts)];
  const found = yield* containing(
    distinct.map((host) => ({ keys: keysOfHost(host), without: '' })),
  );
  return new Map(
    distinct.flatMap((host, index) => {
      const route = found[index];
      return route === undefined ? [] : [[host, route] as const];
    }),
  );
}

export interface ContainingRequest {
  readonly keys: ContainingKeys;
  /** The service whose patterns are ignored; empty: none. */
  readonly without: string;
}

/**
 * The most specific of the patterns with these keys for each request. Among equal ones a verified
 * one is preferred, then the first slug.
 */
export function* containing(
  requests: readonly ContainingRequest[],
): UnitOfWork<readonly (Route | undefined)[]> {
  const names: NameValues[] = [];
  const networks: NetworkValues[] = [];
  for (const { keys, without } of requests)
    if (keys.kind === 'names') names.push({ keys: toJsonArray(keys.keys), without });
    else networks.push({ ...networkOf(keys), without });
  const { byName, byNetwork } = yield* bothOf(names, networks);
  const next = { names: 0, network: 0 };
  return requests.map(({ keys: { kind } }) => {
    const [found] = (kind === 'names' ? byName : byNetwork)[next[kind]++] ?? [];
    if (found === undefined) return undefined;
    return { service: found.slug, pattern: found.pattern, verified: found.verified === 1 };
  });
}

/** One step. For a single host, which is frequent, running units in parallel costs more than it. */
function* bothOf(names: readonly NameValues[], networks: readonly NetworkValues[]) {
  if (networks.length === 0) return { byName: yield* each(selectByName, names), byNetwork: [] };
  if (names.length === 0) return { byName: [], byNetwork: yield* each(selectByNetwork, networks) };
  return yield* inParallel({
    byName: each(selectByName, names),
    byNetwork: each(selectByNetwork, networks),
  });
}

function networkOf({ version, key }: ContainingKeys & { readonly kind: 'network' }) {
  return { version, key, longest: key.length - NETWORK_KEY_START };
}
