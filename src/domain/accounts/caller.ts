import { isVisible } from '../reports/report.ts';
import { parseUuid } from '../uuid.ts';

export type Role = 'researcher' | 'admin';

export const ROLES: readonly Role[] = ['researcher', 'admin'];

/** Who is calling: a live account, through one of its tokens. */
export interface Caller {
  readonly accountId: string;
  readonly name: string;
  readonly roles: readonly Role[];
  /** The services whose feeds the account owns. */
  readonly services: readonly string[];
  readonly tokenId: string;
}

/** A token as stored, with its account: whether it is live depends on the moment. */
export interface Credential {
  readonly caller: Caller;
  readonly digest: Uint8Array;
  readonly disabled: boolean;
  readonly revoked: boolean;
  /** The earlier of the token's and the account's expiry. */
  readonly expiresAt: Date | undefined;
}

export function isLive(
  credential: Pick<Credential, 'disabled' | 'revoked' | 'expiresAt'>,
  now: Date,
): boolean {
  if (credential.disabled || credential.revoked) return false;
  return credential.expiresAt === undefined || credential.expiresAt > now;
}

export function hasRole(caller: Caller, role: Role): boolean {
  return caller.roles.includes(role);
}

/** An owner may delete any report in its feed. An admin alone may not: operators have the admin API. */
export function ownsFeed(caller: Caller, service: string): boolean {
  return caller.services.includes(service);
}

export const MAX_ACCOUNT_NAME_LENGTH = 64;

/**
 * It becomes `reportedBy` of the account's reports, so it must be fit to be read by others. An account goes by
 * its id or its name, so a name must not look like an id.
 */
export function parseAccountName(text: string): string | undefined {
  if (parseUuid(text) !== undefined) return undefined;
  if (!isVisible(text) || text !== text.trim()) return undefined;
  return [...text].length <= MAX_ACCOUNT_NAME_LENGTH ? text : undefined;
}
