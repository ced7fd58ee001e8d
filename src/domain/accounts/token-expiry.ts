export interface ExpiryBounds {
  readonly requested: Date | undefined;
  /** The expiry of the issuing token, if it issues for its own account. */
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
export function boundExpiry({ requested, issuer, account }: ExpiryBounds): BoundedExpiry {
  const expiresAt = requested ?? issuer;
  if (expiresAt === undefined) return { expiresAt };
  if (issuer !== undefined && expiresAt > issuer) return { outlives: 'token', limit: issuer };
  if (requested !== undefined && account !== undefined && requested > account)
    return { outlives: 'account', limit: account };
  return { expiresAt };
}
