import type { Contact } from '../../domain/contacts/contact.ts';
import type { Route } from '../../domain/services/route.ts';
import { findRoute } from '../services/find-route.ts';
import { type ContactDependencies, findContacts } from './find-contacts.ts';

export interface ShownRoute {
  readonly route: Route | undefined;
  readonly contacts: readonly Contact[];
}

/** Returns the service that declared the host, and everybody who answers for it. */
export async function showRoute(deps: ContactDependencies, host: string): Promise<ShownRoute> {
  const [route, contacts] = await Promise.all([findRoute(deps, host), findContacts(deps, host)]);
  return { route, contacts };
}
