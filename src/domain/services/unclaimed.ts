import type { Role } from '../accounts/caller.ts';
import { reservationOf } from '../reports/reserved-host.ts';

/**
 * The slug of the built-in service, whose feed has the reports of hosts that no service has
 * declared. Every store has it from its first migration on. It declares nothing.
 */
export const UNCLAIMED = 'unclaimed';

const DESK_ROLES: readonly Role[] = ['admin', 'notices'];

/** Whether an account with these roles is at the desk of `unclaimed`, as an owner of its feed. */
export function isUnclaimedDesk(roles: readonly Role[]): boolean {
  return roles.some((role) => DESK_ROLES.includes(role));
}

/**
 * The feeds that an account owns: those given to it, and `unclaimed` by its roles alone.
 * `needs-role` if that is given to an account without such a role.
 */
export function ownedFeeds(
  given: readonly string[],
  roles: readonly Role[],
): readonly string[] | 'needs-role' {
  const isDesk = isUnclaimedDesk(roles);
  if (!isDesk && given.includes(UNCLAIMED)) return 'needs-role';
  return [...new Set([...given, ...(isDesk ? [UNCLAIMED] : [])])].sort();
}

/**
 * The feed to which a host belongs, given the service that declares it. `undefined` for private and
 * reserved addresses, local names and public suffixes that no service declares: nobody can act on
 * them.
 */
export function feedOfHost(host: string, declaring: string | undefined): string | undefined {
  if (declaring !== undefined) return declaring;
  return reservationOf(host) === undefined ? UNCLAIMED : undefined;
}
