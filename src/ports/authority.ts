/**
 * The account and the token on whose behalf something is written. The transaction that writes checks both again, so
 * that nothing is committed after the permission ended, however long the request took to arrive.
 */
export interface Authority {
  readonly accountId: string;
  readonly tokenId: string;
}

/** Why a write was refused when it was about to be committed. */
export type Refusal =
  /** The token was revoked or expired, or its account was disabled or expired. */
  'token-ended' | 'role-missing' | 'not-owner';
