import { suffixOf } from '../../../domain/ownership/challenge.ts';
import { patternsOf } from '../../../domain/services/route.ts';
import type { Service } from '../../../domain/services/service.ts';
import { verifiedSuffixes } from '../../tables/ownership/claims.ts';
import { changeLengths } from '../../tables/services/network-lengths.ts';
import { advanceBackFill, backFillPosition } from '../../units/back-fill.ts';
import {
  all,
  each,
  lockRoutes,
  lockTask,
  query,
  rows,
  type UnitOfWork,
} from '../../units/unit-of-work.ts';
import { PATTERN_BACK_FILL, rerouteReports } from './reroute-reports.ts';

/**
 * The declared hosts and networks of all services in one index. A host is looked up under the keys
 * of all patterns that match it: one for each label of a name, or for each length of a prefix that
 * occurs.
 */

interface PatternValues {
  key: string;
  slug: string;
  pattern: string;
  verified: number;
}

const insertPattern = query<PatternValues>()((db, parameter) =>
  db.insertInto('service_pattern').values(all(parameter, ['key', 'slug', 'pattern', 'verified'])),
);

const deletePatterns = query<{ slug: string }>()((db, parameter) =>
  db.deleteFrom('service_pattern').where('slug', '=', parameter.slug).returning('key'),
);

const selectNext = query<{ after: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('service')
    .select(['id', 'slug', 'hosts', 'networks'])
    .where('id', '>', parameter.after)
    .orderBy('id')
    .limit(parameter.limit),
);

type Declared = Pick<Service, 'slug' | 'hosts' | 'networks'>;

/** Replaces the patterns of a service. Those whose host it has proven are marked as verified. */
export function* putPatterns(service: Declared): UnitOfWork<void> {
  const { slug } = service;
  const proven = yield* verifiedSuffixes(slug);
  const deleted = yield* rows(deletePatterns, { slug });
  const patterns = patternsOf(service);
  yield* each(
    insertPattern,
    patterns.map(({ key, pattern }) => ({
      key,
      slug,
      pattern,
      verified: proven.has(suffixOf(pattern)) ? 1 : 0,
    })),
  );
  yield* changeLengths({ added: patterns, deleted });
}

/** Whether patterns of services that are older than the index are missing in it. */
export function* hasUnindexedPatterns(): UnitOfWork<boolean> {
  return (yield* backFillPosition(PATTERN_BACK_FILL)) !== undefined;
}

/** Indexes services that are older than the index, at most `limit`. Returns the number indexed. */
export function* indexPatterns(limit: number): UnitOfWork<number> {
  yield* lockTask('index patterns');
  const after = yield* backFillPosition(PATTERN_BACK_FILL);
  if (after === undefined) return 0;
  yield* lockRoutes();
  const services = yield* rows(selectNext, { after, limit });
  for (const { slug, hosts, networks } of services)
    yield* putPatterns({ slug, hosts: JSON.parse(hosts), networks: JSON.parse(networks) });
  yield* advanceBackFill(PATTERN_BACK_FILL, services.at(-1)?.id);
  if (services.length === 0) yield* rerouteReports();
  return services.length;
}
