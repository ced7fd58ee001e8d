import { suffixOf } from '../../../domain/ownership/challenge.ts';
import { patternsOf } from '../../../domain/services/route.ts';
import type { Service } from '../../../domain/services/service.ts';
import { verifiedSuffixes } from '../../tables/ownership/claims.ts';
import { changeLengths } from '../../tables/services/network-lengths.ts';
import {
  deletePatterns,
  insertPattern,
  selectNext,
} from '../../tables/services/service-patterns.ts';
import { advanceBackFill, backFillPosition } from '../../units/back-fill.ts';
import { lockRoutes, lockTask } from '../../units/locks.ts';
import { each, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { PATTERN_BACK_FILL, rerouteReports } from './reroute-reports.ts';

/**
 * The declared hosts and networks of all services in one index. A host is looked up under the keys
 * of all patterns that match it: one for each label of a name, or for each length of a prefix that
 * occurs.
 */

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
