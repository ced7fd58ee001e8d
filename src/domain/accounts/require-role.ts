import { Problem } from '../problem.ts';
import { type Caller, hasRole, type Role } from './caller.ts';

export function requireRole(caller: Caller, role: Role): void {
  if (!hasRole(caller, role)) throw roleMissing(role);
}

/** The refusal that names the role which the account lacks. */
export function roleMissing(role: Role): Problem {
  return new Problem('role_missing', { role, parameters: { role } });
}
