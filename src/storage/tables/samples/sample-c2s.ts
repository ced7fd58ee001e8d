import { sql } from 'kysely';
import type { Network } from '../../../domain/ip-address.ts';
import { networkRanges, type TextRange } from '../../../domain/network-ranges.ts';
import type { ConfiguredC2 } from '../../../domain/proposals/proposal.ts';
import type { AnalysisDetails } from '../../../domain/samples/analysis.ts';
import {
  hostKey,
  isInNetwork,
  reverseHost,
  type SearchInput,
  type SearchMatch,
} from '../../../domain/search-query.ts';
import type { HostOrC2 } from '../../../ports/search-store.ts';
import type { Bounded } from '../../units/bounded.ts';
import { query } from '../../units/query.ts';
import { each, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/** The C2 addresses in the configuration of samples, by which a search finds them. */

/** The limit on rows read for the subdomains of a name, or for a network. */
const MAX_RANGE_ROWS = 2000;

interface C2Row {
  sampleId: number;
  reversed: string;
  port: number;
  leads: number;
  hasMore: number;
  family: string;
}

const insertC2 = query<C2Row>()((db, parameter) =>
  db.insertInto('sample_c2').values({
    sample_id: parameter.sampleId,
    reversed: parameter.reversed,
    port: parameter.port,
    leads: parameter.leads,
    has_more: parameter.hasMore,
    family: parameter.family,
  }),
);

const deleteC2s = query<{ sampleId: number }>()((db, parameter) =>
  db.deleteFrom('sample_c2').where('sample_id', '=', parameter.sampleId),
);

/** A literal, as in the partial index: the first row of a host in a sample. */
const LEADS = sql<boolean>`leads = 1`;

const selectByC2 = query<{ reversed: string; port: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('sample_c2')
    .select(['sample_id as sampleId', 'family'])
    .where('reversed', '=', parameter.reversed)
    .where('port', '=', parameter.port)
    .orderBy('number', 'desc')
    .limit(parameter.limit),
);

const selectByHost = query<{ reversed: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('sample_c2')
    .select(['sample_id as sampleId', 'family'])
    .where('reversed', '=', parameter.reversed)
    .where(LEADS)
    .orderBy('number', 'desc')
    .limit(parameter.limit),
);

/** The limit of the analysis is 1000. */
const selectOfSample = query<{ sampleId: number }>()((db, parameter) =>
  db
    .selectFrom('sample_c2')
    .select(['reversed', 'port', 'family', 'number'])
    .where('sample_id', '=', parameter.sampleId),
);

const selectHosts = query<{ from: string; to: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('sample_c2')
    .select(['sample_id as sampleId', 'number', 'reversed'])
    .where('reversed', '>=', parameter.from)
    .where('reversed', '<', parameter.to)
    .where(LEADS)
    .orderBy('reversed')
    .limit(parameter.limit),
);

/** Replaces the addresses of a sample. */
export function* putC2s(
  sampleId: number,
  { c2s, hasMoreC2s = false }: Pick<AnalysisDetails, 'c2s' | 'hasMoreC2s'>,
): UnitOfWork<void> {
  yield* removeC2s([sampleId]);
  const hosts = new Set<string>();
  const added = c2s.map(({ host, port, family }) => {
    const leads = hosts.has(host) ? 0 : 1;
    hosts.add(host);
    const hasMore = Number(hasMoreC2s);
    return { sampleId, reversed: hostKey(host), port, leads, hasMore, family };
  });
  yield* each(insertC2, added);
}

export function* removeC2s(sampleIds: readonly number[]): UnitOfWork<void> {
  yield* each(
    deleteC2s,
    sampleIds.map((sampleId) => ({ sampleId })),
  );
}

/** The C2s that the configuration of a sample names, in its order. */
export function* c2sOf(sampleId: number): UnitOfWork<readonly ConfiguredC2[]> {
  const found = [...(yield* rows(selectOfSample, { sampleId }))];
  found.sort((one, other) => one.number - other.number);
  return found.map(({ reversed, port, family }) => ({
    host: hostOfKey(reversed),
    port,
    family: family ?? undefined,
  }));
}

/** The inverse of `hostKey`. A reversed name starts with its top-level label: never a number. */
export function hostOfKey(reversed: string): string {
  const isAddress = reversed.includes(':') || /^[0-9]+\./.test(reversed);
  return isAddress ? reversed : reverseHost(reversed);
}

/** A row of a sample; a sample whose settings repeat a C2 has several. */
export interface NamingRow {
  readonly sampleId: number;
  /** The family whose settings name the address; null in older rows. */
  readonly family: string | null;
}

/** The samples whose configuration names the address, newest first. */
export function* samplesNaming(
  { host, port }: HostOrC2,
  limit: number,
): UnitOfWork<readonly NamingRow[]> {
  const reversed = hostKey(host);
  return port === undefined
    ? yield* rows(selectByHost, { reversed, limit })
    : yield* rows(selectByC2, { reversed, port, limit });
}

/** The ids of samples, newest first. */
export interface SamplesOfC2 {
  readonly exact: ReadonlyMap<number, SearchMatch>;
  /** May include exact matches. */
  readonly partial: ReadonlyMap<number, SearchMatch>;
  /** Whether there may be more partial matches. */
  readonly isBounded: boolean;
}

export function* samplesOfC2(
  { c2, host, below, network }: SearchInput,
  limit: number,
): UnitOfWork<SamplesOfC2> {
  if (network !== undefined) {
    const { found, isBounded } = yield* newestIn(network, limit);
    return { exact: new Map(), partial: allBy('network', found), isBounded };
  }
  const ofHost = host === undefined ? [] : yield* newestNaming({ host }, limit);
  if (c2 !== undefined) {
    const exact = allBy('c2', yield* newestNaming(c2, limit));
    return { exact, partial: allBy('host', ofHost), isBounded: false };
  }
  const { found, isBounded } =
    below === undefined ? { found: [], isBounded: false } : yield* newestBelow(below, limit);
  return { exact: allBy('host', ofHost), partial: allBy('suffix', found), isBounded };
}

function allBy(match: SearchMatch, ids: readonly number[]): ReadonlyMap<number, SearchMatch> {
  return new Map(ids.map((id) => [id, match]));
}

function* newestNaming(address: HostOrC2, limit: number): UnitOfWork<readonly number[]> {
  return (yield* samplesNaming(address, limit)).map(({ sampleId }) => sampleId);
}

/** The newest among the first subdomains in alphabetical order. */
function* newestBelow(name: string, limit: number): UnitOfWork<Bounded<number>> {
  const reversed = reverseHost(name);
  // `/` follows `.` in ASCII: the range has everything that starts with the name and a dot.
  const { found, isBounded } = yield* rowsIn([{ from: `${reversed}.`, to: `${reversed}/` }]);
  return { found: newestIds(found, limit), isBounded };
}

/** The newest among the first addresses of a network in the order of their texts. */
function* newestIn(network: Network, limit: number): UnitOfWork<Bounded<number>> {
  const { found, isBounded } = yield* rowsIn(networkRanges(network));
  const inside = found.filter(({ reversed }) => isInNetwork(reversed, network));
  return { found: newestIds(inside, limit), isBounded };
}

interface HostRow {
  readonly sampleId: number;
  readonly number: number;
  readonly reversed: string;
}

/** Reads no more rows than the limit, however many ranges there are. */
function* rowsIn(ranges: readonly TextRange[]): UnitOfWork<Bounded<HostRow>> {
  const found: HostRow[] = [];
  for (const range of ranges) {
    const limit = MAX_RANGE_ROWS - found.length;
    if (limit === 0) break;
    found.push(...(yield* rows(selectHosts, { ...range, limit })));
  }
  return { found, isBounded: found.length >= MAX_RANGE_ROWS };
}

function newestIds(found: readonly HostRow[], limit: number): readonly number[] {
  const newest = found.toSorted((one, other) => other.number - one.number);
  return [...new Set(newest.map(({ sampleId }) => sampleId))].slice(0, limit);
}
