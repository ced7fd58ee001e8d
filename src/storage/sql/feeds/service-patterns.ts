import { patternsOf, type Route } from '../../../domain/reports/route.ts';
import type { Service } from '../../../domain/reports/service.ts';
import {
  all,
  each,
  lockRoutes,
  lockTask,
  query,
  rows,
  type UnitOfWork,
} from '../../unit-of-work.ts';
import { advanceBackFill, backFillPosition } from '../search/back-fill.ts';
import { PATTERN_BACK_FILL, rerouteReports } from './route-changes.ts';
import { routesOf } from './routes.ts';

/**
 * The declared hosts and networks of all services in one index. A host is looked up under the keys
 * of all patterns that match it: one for each label of a name, or for each length of a prefix.
 */

interface PatternValues {
  key: string;
  slug: string;
  pattern: string;
}

const insertPattern = query<PatternValues>()((db, parameter) =>
  db.insertInto('service_pattern').values(all(parameter, ['key', 'slug', 'pattern'])),
);

const deletePatterns = query<{ slug: string }>()((db, parameter) =>
  db.deleteFrom('service_pattern').where('slug', '=', parameter.slug),
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

/** Replaces the patterns of a service. */
export function* putPatterns(service: Declared): UnitOfWork<void> {
  const { slug } = service;
  yield* rows(deletePatterns, { slug });
  yield* each(
    insertPattern,
    patternsOf(service).map(({ key, pattern }) => ({ key, slug, pattern })),
  );
}

/**
 * The most specific pattern that matches the host. `incomplete` while patterns of services that are
 * older than the index are missing.
 */
export function* findRoute(host: string): UnitOfWork<Route | 'incomplete' | undefined> {
  if ((yield* backFillPosition(PATTERN_BACK_FILL)) !== undefined) return 'incomplete';
  return (yield* routesOf([host])).get(host);
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
