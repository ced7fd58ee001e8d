import type { Route } from '../../domain/services/route.ts';
import type { Dependencies } from '../dependencies.ts';

/** Returns the service that declared the host, by its most specific host pattern or network. */
export function findRoute(
  { store }: Pick<Dependencies, 'store'>,
  host: string,
): Promise<Route | undefined> {
  return store.services.route(host);
}
