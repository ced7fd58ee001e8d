import type { Contact } from '../../domain/contacts/contact.ts';
import type { Directory } from '../../domain/directory/directory.ts';
import type { Dependencies } from '../dependencies.ts';

/** Returns what one source knows of a canonical host; none: nothing. */
export type ContactSource = (host: string) => Promise<readonly Contact[]>;

export interface ContactDependencies extends Pick<Dependencies, 'store'> {
  /** The providers that are known without asking anybody. */
  readonly directory: Directory;
}

/** The sources in the order of `CONTACT_SOURCES`. None of them asks anybody outside. */
function contactSources({ store, directory }: ContactDependencies): readonly ContactSource[] {
  return [
    async (host) => {
      const contact = await store.services.contact(host);
      return contact === undefined ? [] : [contact];
    },
    async (host) => {
      const contact = directory.find(host);
      return contact === undefined ? [] : [contact];
    },
  ];
}

/** Returns who answers for a host, the one to ask first. If a source fails, so does the call. */
export async function findContacts(
  deps: ContactDependencies,
  host: string,
): Promise<readonly Contact[]> {
  const found = await Promise.all(contactSources(deps).map((source) => source(host)));
  return found.flat();
}
