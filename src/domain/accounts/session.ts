import { DAY_MS, MINUTE_MS } from '../duration.ts';

/** What a session was started with. */
export type SignInMethod = 'token' | 'link';

export const SIGN_IN_METHODS: readonly SignInMethod[] = ['token', 'link'];

/** The session of a request. The secret is in the cookie; the store has its digest. */
export interface Session {
  readonly via: SignInMethod;
  /** The token that started it; absent if a link did. */
  readonly tokenId: string | undefined;
  /** The earliest expiry of the session, its token and its account. */
  readonly expiresAt: Date;
}

export type LinkPurpose = 'sign-in' | 'invitation';

export const LINK_PURPOSES: readonly LinkPurpose[] = ['sign-in', 'invitation'];

const LINK_LIFETIMES_MS: Readonly<Record<LinkPurpose, number>> = {
  'sign-in': 15 * MINUTE_MS,
  invitation: 7 * DAY_MS,
};

const SESSION_LIFETIME_MS = 30 * DAY_MS;

/**
 * Signing in above the limit ends the oldest session of the account. Otherwise a script that signs
 * in again and again would lock its account out, or fill the store.
 */
export const MAX_SESSIONS = 100;
/** Creating a link above the limit invalidates the oldest link of the account. */
export const MAX_LINKS = 20;

/** A session never outlives the token that starts it. */
export function sessionExpiry(now: Date, tokenExpiresAt: Date | undefined): Date {
  const latest = new Date(now.getTime() + SESSION_LIFETIME_MS);
  return tokenExpiresAt !== undefined && tokenExpiresAt < latest ? tokenExpiresAt : latest;
}

export function linkExpiry(now: Date, purpose: LinkPurpose): Date {
  return new Date(now.getTime() + LINK_LIFETIMES_MS[purpose]);
}
