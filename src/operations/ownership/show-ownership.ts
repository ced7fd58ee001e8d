import type { Caller } from '../../domain/accounts/caller.ts';
import {
  challengeOf,
  formatToken,
  suffixOf,
  TOKEN_BYTES,
} from '../../domain/ownership/challenge.ts';
import type { Claim } from '../../domain/ownership/claim.ts';
import type { Service } from '../../domain/services/service.ts';
import { requireOwnerOrAdmin } from '../permission.ts';
import type { OwnershipDependencies } from './ownership-dependencies.ts';

/** A declared host or network, and what is known of it. */
export interface DeclaredPattern {
  readonly pattern: string;
  /** A network cannot be proven. */
  readonly kind: 'host' | 'network';
  /** `undefined` if it was never checked. */
  readonly claim: Claim | undefined;
}

export interface Ownership {
  readonly patterns: readonly DeclaredPattern[];
  /** The text to publish. */
  readonly challenge: string;
}

/** Shows what a service declares, what of it is proven, and what to publish for the rest. */
export async function showOwnership(
  deps: OwnershipDependencies,
  caller: Caller,
  service: Service,
): Promise<Ownership> {
  // The token is a secret until it is published: another party that has it could publish it first.
  requireOwnerOrAdmin(caller, service);
  const token = await tokenOf(deps, service);
  const claims = await deps.store.ownership.claims(service.slug);
  const bySuffix = new Map(claims.map((claim) => [claim.suffix, claim]));
  return {
    patterns: [
      ...service.hosts.map((pattern) => ({
        pattern,
        kind: 'host' as const,
        claim: bySuffix.get(suffixOf(pattern)),
      })),
      ...service.networks.map((pattern) => ({
        pattern,
        kind: 'network' as const,
        claim: undefined,
      })),
    ],
    challenge: challengeOf(token),
  };
}

/** The token of a service, created with the first question. */
export function tokenOf(
  { store, now, randomBytes }: OwnershipDependencies,
  service: Service,
): Promise<string> {
  const fresh = formatToken(randomBytes(TOKEN_BYTES));
  return store.ownership.token(service.slug, fresh, now());
}
