import { type Caller, hasRole, ownsFeed } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { Service } from '../../domain/reports/service.ts';
import type { OwnershipProver } from '../../ports/outgoing.ts';
import type { Dependencies } from '../dependencies.ts';

export interface OwnershipDependencies extends Pick<Dependencies, 'store' | 'now' | 'randomBytes'> {
  readonly prover: OwnershipProver;
}

/** The token is a secret until it is published: whoever has it could publish it first. */
export function requireOwnerOrAdmin(caller: Caller, service: Service): void {
  if (!ownsFeed(caller, service.slug) && !hasRole(caller, 'admin'))
    throw new Problem('not_owner_or_admin');
}

/** From 0 to 1. */
export function chanceOf({ randomBytes }: Pick<Dependencies, 'randomBytes'>): number {
  const [byte = 0] = randomBytes(1);
  return byte / 255;
}
