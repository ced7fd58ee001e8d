import type { Contact } from '../../domain/contacts/contact.ts';
import type { Directory } from '../../domain/directory/directory.ts';
import type { Route } from '../../domain/services/route.ts';
import type { Dependencies } from '../dependencies.ts';

export interface ContactDependencies extends Pick<Dependencies, 'store'> {
  /** The providers that are known without asking anybody. */
  readonly directory: Directory;
}

/**
 * Returns who answers for a canonical host, in the order of `CONTACT_SOURCES`. `route` is that of
 * the host. Nobody outside is asked.
 */
export async function findContacts(
  { store, directory }: ContactDependencies,
  host: string,
  route: Route | undefined,
): Promise<readonly Contact[]> {
  const service = route && (await store.services.contact(route));
  return [service, directory.find(host)].filter((contact) => contact !== undefined);
}
