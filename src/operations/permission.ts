import { type Caller, hasRole, ownsFeed, type Role } from '../domain/accounts/caller.ts';
import { roleMissing } from '../domain/accounts/require-role.ts';
import { Problem } from '../domain/problem.ts';
import type { Service } from '../domain/services/service.ts';
import type { Refusal } from '../ports/authority.ts';

export function requireOwner(caller: Caller, service: Service): void {
  if (!ownsFeed(caller, service.slug)) throw new Problem('not_owner');
}

export function requireOwnerOrAdmin(caller: Caller, service: Service): void {
  if (!ownsFeed(caller, service.slug) && !hasRole(caller, 'admin'))
    throw new Problem('not_owner_or_admin');
}

/** The problem of a caller whose permission ended after the check of the request. */
export function permissionProblem(refusal: Refusal, role: Role): Problem {
  if (refusal === 'role-missing') return roleMissing(role);
  return new Problem(refusal === 'not-owner' ? 'not_owner' : 'token_invalid');
}
