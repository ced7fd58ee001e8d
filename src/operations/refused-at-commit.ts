import type { Role } from '../domain/accounts/caller.ts';
import { roleMissing } from '../domain/accounts/require-role.ts';
import { Problem } from '../domain/problem.ts';
import type { Refusal } from '../ports/authority.ts';

/** What a caller is told whose permission ended between the check of the request and the commit. */
export function refusedAtCommit(refusal: Refusal, role: Role): Problem {
  if (refusal === 'role-missing') return roleMissing(role);
  return new Problem(refusal === 'not-owner' ? 'not_owner' : 'token_invalid');
}
