import type { Contact } from '../contacts/contact.ts';
import { suffixOf } from '../ownership/challenge.ts';
import type { Claim } from '../ownership/claim.ts';
import { isAddress } from '../search-query.ts';
import type { Route } from './route.ts';
import type { Service } from './service.ts';

/**
 * The service of a route as a contact. It has neither mail nor form: reports reach it through its
 * feed. `checkedAt` is the last check that found its proof, else the time of the service.
 */
export function serviceContact(
  { pattern, verified }: Route,
  { name, createdAt }: Pick<Service, 'name' | 'createdAt'>,
  claim: Claim | undefined,
): Contact {
  const provenAt = verified ? lastProof(claim) : undefined;
  return { source: 'service', name, ...coverage(pattern), checkedAt: provenAt ?? createdAt };
}

function lastProof(claim: Claim | undefined): Date | undefined {
  return claim?.problem === undefined ? claim?.checkedAt : claim.verifiedAt;
}

function coverage(pattern: string): Pick<Contact, 'range' | 'suffix'> {
  if (pattern.includes('/')) return { range: pattern };
  if (!isAddress(pattern)) return { suffix: suffixOf(pattern) };
  return { range: `${pattern}/${pattern.includes(':') ? 128 : 32}` };
}
