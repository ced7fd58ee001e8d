import { selectNext } from '../../tables/services/service-patterns.ts';
import { advanceBackFill, backFillPosition } from '../../units/back-fill.ts';
import { lockRoutes, lockTask } from '../../units/locks.ts';
import { rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { putPatterns } from './put-patterns.ts';
import { PATTERN_BACK_FILL, rerouteReports } from './reroute-reports.ts';

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
