import { sql } from 'kysely';
import { suffixOf } from '../../domain/ownership/challenge.ts';
import { patternsOf } from '../../domain/services/route.ts';
import { listClaims } from '../tables/ownership/claims.ts';
import { backFillPosition } from '../units/back-fill.ts';
import { rows, type UnitOfWork } from '../units/unit-of-work.ts';
import { pagedCheck, statement } from './check.ts';

const PAGE = 20;

interface ServiceRow {
  readonly id: number;
  readonly slug: string;
  readonly hosts: string;
  readonly networks: string;
}

export const selectServices = statement<ServiceRow, { after: number; limit: number }>(
  (parameter) => sql`
    select id, slug, hosts, networks from service
    where id > ${parameter.after} order by id limit ${parameter.limit}`,
);

interface IndexedPattern {
  readonly key: string;
  readonly pattern: string;
  readonly verified: number;
}

const selectPatterns = statement<IndexedPattern, { slug: string }>(
  (parameter) => sql`
    select key, pattern, verified from service_pattern
    where slug = ${parameter.slug} order by key`,
);

/**
 * The index by which the service of a host is found has exactly what services declare, and knows
 * what of it is proven.
 */
export const servicePatterns = pagedCheck('hosts and networks of services', {
  page: (after) => rows(selectServices, { after: Number(after ?? 0), limit: PAGE }),
  keyOf: ({ id }) => id,
  *findingsIn(services) {
    const until = (yield* backFillPosition('service_pattern')) ?? Number.MAX_SAFE_INTEGER;
    const wrong: string[] = [];
    for (const service of services.filter(({ id }) => id <= until))
      wrong.push(...(yield* findingsOf(service)));
    return wrong;
  },
});

function* findingsOf({ slug, hosts, networks }: ServiceRow): UnitOfWork<readonly string[]> {
  const indexed = yield* rows(selectPatterns, { slug });
  const declared = { hosts: JSON.parse(hosts) as string[], networks: JSON.parse(networks) };
  const keys = new Set(patternsOf(declared).map(({ key }) => key));
  const claims = yield* listClaims(slug);
  const proven = new Set(
    claims.filter(({ verifiedAt }) => verifiedAt !== undefined).map(({ suffix }) => suffix),
  );
  const suffixes = new Set(declared.hosts.map(suffixOf));
  const isIndexed = indexed.length === keys.size && indexed.every(({ key }) => keys.has(key));
  const isMarked = indexed.every(
    ({ pattern, verified }) => (verified === 1) === proven.has(suffixOf(pattern)),
  );
  const isClaimed = claims.every(({ suffix }) => suffixes.has(suffix));
  return [
    ...(isIndexed ? [] : [`${slug}: it is found by other hosts and networks than it declares`]),
    ...(isMarked ? [] : [`${slug}: other hosts are marked as verified than it has proven`]),
    ...(isClaimed ? [] : [`${slug}: it has proofs for hosts that it does not declare`]),
  ];
}
