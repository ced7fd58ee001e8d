import type { Contact } from '../../../domain/contacts/contact.ts';
import { suffixOf } from '../../../domain/ownership/challenge.ts';
import type { Route } from '../../../domain/services/route.ts';
import { serviceContact } from '../../../domain/services/service-contact.ts';
import { findClaim } from '../../tables/ownership/claims.ts';
import { findServiceName } from '../../tables/services/services.ts';
import { inParallel, type UnitOfWork } from '../../units/unit-of-work.ts';

/** The service of a route, as a contact. */
export function* contactOfService(route: Route): UnitOfWork<Contact | undefined> {
  const { named, claim } = yield* inParallel({
    named: findServiceName(route.service),
    claim: findClaim(route.service, suffixOf(route.pattern)),
  });
  return named && serviceContact(route, named, claim);
}
