import { isLive, type Role } from './caller.ts';

/** What decides whether an account administers. */
export interface AdministrationState {
  readonly roles: readonly Role[];
  readonly disabled: boolean;
  readonly expiresAt: Date | undefined;
}

export function isAdministrator(account: AdministrationState, now: Date): boolean {
  return account.roles.includes('admin') && isLive({ ...account, revoked: false }, now);
}

/** Whether a change ends the administration of an account: no role, disabled, or expired. */
export function endsAdministration(
  before: AdministrationState,
  after: AdministrationState,
  now: Date,
): boolean {
  return isAdministrator(before, now) && !isAdministrator(after, now);
}

/** Whether an account is out of use before or after a change; then its sessions and links end. */
export function isOutOfUse(
  before: AdministrationState,
  after: AdministrationState,
  now: Date,
): boolean {
  return [before, after].some((state) => !isLive({ ...state, revoked: false }, now));
}
