export interface ExpiryBounds {
  readonly wanted: Date | undefined;
  /** When the issuing token expires, where it issues for its own account. */
  readonly issuer: Date | undefined;
  readonly account: Date | undefined;
}

/** When a new token expires, or which bound it would outlive. */
export type BoundedExpiry =
  | { readonly expiresAt: Date | undefined }
  | { readonly outlives: 'token' | 'account'; readonly limit: Date };

/**
 * A token never outlives its issuer: otherwise the holder of a short-lived token could extend it
 * for ever. The expiry of the account is checked with every request and not copied, so extending
 * the account extends its tokens.
 */
export function boundExpiry({ wanted, issuer, account }: ExpiryBounds): BoundedExpiry {
  const expiresAt = wanted ?? issuer;
  if (expiresAt === undefined) return { expiresAt };
  if (issuer !== undefined && expiresAt > issuer) return { outlives: 'token', limit: issuer };
  if (wanted !== undefined && account !== undefined && wanted > account)
    return { outlives: 'account', limit: account };
  return { expiresAt };
}
