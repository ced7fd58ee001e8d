import type { Contact } from '../../../domain/contacts/contact.ts';
import { suffixOf } from '../../../domain/ownership/challenge.ts';
import { serviceContact } from '../../../domain/services/service-contact.ts';
import { findClaim } from '../../tables/ownership/claims.ts';
import { routesOf } from '../../tables/services/routes.ts';
import { findServiceName } from '../../tables/services/services.ts';
import { inParallel, type UnitOfWork } from '../../units/unit-of-work.ts';

/** The service that answers for a canonical host, as a contact. */
export function* contactOfService(host: string): UnitOfWork<Contact | undefined> {
  const route = (yield* routesOf([host])).get(host);
  if (route === undefined) return undefined;
  const { named, claim } = yield* inParallel({
    named: findServiceName(route.service),
    claim: findClaim(route.service, suffixOf(route.pattern)),
  });
  return named && serviceContact(route, named, claim);
}
