import { type Route, routeKeys } from '../../../domain/reports/route.ts';
import { each, ONE, query, type UnitOfWork } from '../../unit-of-work.ts';

/** If several services declare the same pattern, the first in the order of slugs is found. */
const selectFirst = query<{ key: string }>()((db, parameter) =>
  db
    .selectFrom('service_pattern')
    .select(['slug', 'pattern'])
    .where('key', '=', parameter.key)
    .orderBy('slug')
    .limit(ONE),
);

/**
 * For each canonical host the service with the most specific pattern that matches it. Hosts that no
 * service declares are missing. One step, so that a create reads it together with others.
 */
export function* routesOf(hosts: readonly string[]): UnitOfWork<ReadonlyMap<string, Route>> {
  const keysOf = new Map(hosts.map((host) => [host, routeKeys(host)]));
  const keys = [...new Set([...keysOf.values()].flat())];
  const found = yield* each(
    selectFirst,
    keys.map((key) => ({ key })),
  );
  const byKey = new Map(keys.map((key, index) => [key, found[index]?.[0]]));
  const routes = new Map<string, Route>();
  for (const [host, own] of keysOf) {
    const key = own.find((one) => byKey.get(one) !== undefined);
    const first = key === undefined ? undefined : byKey.get(key);
    if (first !== undefined) routes.set(host, { service: first.slug, pattern: first.pattern });
  }
  return routes;
}
