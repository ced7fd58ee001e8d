import type { LinkPurpose } from '../domain/accounts/session.ts';
import type { AuditContext } from './audit-context.ts';
import type { Authority, Refusal } from './authority.ts';

export interface NewSession {
  readonly id: string;
  /** The digest of the secret in the cookie. */
  readonly digest: Uint8Array;
  /** The digest of a session that the new one replaces: it ends. */
  readonly replaces?: Uint8Array | undefined;
}

export interface NewLink {
  readonly id: string;
  readonly digest: Uint8Array;
  readonly purpose: LinkPurpose;
  readonly expiresAt: Date;
}

export interface EndOptions {
  /** Also revokes the tokens issued in sessions of the account, and those issued with them. */
  readonly issued?: boolean | undefined;
  /** Only tokens of that account; of any, if it is absent. */
  readonly ofAccount?: string | undefined;
}

export interface EndedSessions {
  /** The number of sessions that were valid or expired recently. */
  readonly ended: number;
  /** The number of tokens that were valid or expired. */
  readonly revoked: number;
}

/**
 * Sessions of browsers, and sign-in links. `AccessStore` identifies the caller of a session by its
 * digest, as it does for a token.
 */
export interface SessionStore {
  /** Starts a session with a token, which bounds its expiry. */
  start(session: NewSession, by: Authority, at: Date): Promise<'started' | Refusal>;
  /**
   * Starts a session with a sign-in link. A link starts one session, even if several requests and
   * nodes try concurrently.
   */
  startWithLink(
    session: NewSession,
    link: Uint8Array,
    at: Date,
  ): Promise<'started' | 'link-invalid'>;
  /** Ending a session that does not exist is no error. */
  end(digest: Uint8Array): Promise<void>;
  /** Ends all sessions of an account and invalidates its links. */
  endAll(
    accountId: string,
    audit: AuditContext,
    options?: EndOptions,
  ): Promise<EndedSessions | 'unknown-account'>;
  /** `by`: the administrator, who is checked again; absent on the command line. */
  addLink(
    accountId: string,
    link: NewLink,
    audit: AuditContext,
    by?: Authority,
  ): Promise<'added' | 'unknown-account' | { readonly refusal: Refusal }>;
  /** Deletes what expired before that time, at most `limit` of each. Returns how many it found. */
  deleteExpired(before: Date, limit: number): Promise<number>;
}
