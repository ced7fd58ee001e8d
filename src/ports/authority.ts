/**
 * The account and the token or session on whose behalf a transaction writes. The transaction
 * checks both again, so that nothing is committed after the permission ended, even if the request
 * took long to arrive.
 */
export interface Authority {
  readonly accountId: string;
  /** The id of the token, or of the session. */
  readonly tokenId: string;
}

/** Why a transaction refused to write. */
export type Refusal =
  /** The token or session was revoked or expired, or its account was disabled or expired. */
  'token-ended' | 'role-missing' | 'not-owner';
