import type { Role } from '../domain/accounts/caller.ts';
import { Problem } from '../domain/problem.ts';
import type { Refusal } from '../ports/authority.ts';

/** What a caller is told whose permission ended between the check of the request and the commit. */
export function refusedAtCommit(refusal: Refusal, role: Role): Problem {
  if (refusal === 'role-missing') return new Problem('role_missing', { role, words: { role } });
  return new Problem(refusal === 'not-owner' ? 'not_owner' : 'token_invalid');
}
