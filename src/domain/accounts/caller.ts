import type { CreateRate } from './account-limits.ts';
import type { Session } from './session.ts';
import type { TokenIssuer } from './token-origin.ts';

export type Role = 'researcher' | 'notices' | 'admin';

export const ROLES: readonly Role[] = ['researcher', 'notices', 'admin'];

/** The account and the valid token or session of a request. */
export interface Caller {
  readonly accountId: string;
  readonly name: string;
  readonly roles: readonly Role[];
  /** The services whose feeds the account owns. */
  readonly services: readonly string[];
  /** The rate of creates of this account; that of the server if absent. */
  readonly createRate?: CreateRate | undefined;
  /** The id of the token or of the session, by which a transaction checks it again. */
  readonly tokenId: string;
  /** Set if the request is authenticated by the cookie of a session. */
  readonly session?: Session;
}

/** The token on whose behalf a caller acts; `undefined` for a session that a link started. */
export function tokenOf({ tokenId, session }: Caller): string | undefined {
  return session === undefined ? tokenId : session.tokenId;
}

/** The caller as the issuer of a token. */
export function issuerOf(caller: Caller): TokenIssuer {
  const { accountId, session } = caller;
  return { via: session === undefined ? 'token' : 'session', accountId, tokenId: tokenOf(caller) };
}

/** A stored token or session with its account. Whether it is valid depends on the time. */
export interface Credential {
  readonly caller: Caller;
  readonly digest: Uint8Array;
  readonly disabled: boolean;
  readonly revoked: boolean;
  /** The earliest expiry of the session, the token and the account. */
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

/**
 * An owner may delete any report of its feed. The role `admin` does not include that, except in the
 * feed `unclaimed`, which administrators own.
 */
export function ownsFeed(caller: Caller, service: string): boolean {
  return caller.services.includes(service);
}
