import type { Contact } from '../../domain/contacts/contact.ts';
import type { Origin } from '../../domain/networks/origin.ts';
import type { Route } from '../../domain/services/route.ts';
import type { NetworkDependencies } from '../networks/network-dependencies.ts';
import { findRoute } from '../services/find-route.ts';
import { type ContactDependencies, findContacts } from './find-contacts.ts';

export interface ShownRoute {
  readonly route: Route | undefined;
  readonly contacts: readonly Contact[];
  readonly origin: Origin;
}

/** Returns the service that declared the host, everybody who answers for it, and its network. */
export async function showRoute(
  deps: ContactDependencies & NetworkDependencies,
  host: string,
): Promise<ShownRoute> {
  const route = await findRoute(deps, host);
  return {
    route,
    contacts: await findContacts(deps, host, route),
    origin: deps.networks.originOf(host),
  };
}
