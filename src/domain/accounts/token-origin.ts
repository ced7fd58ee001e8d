/** What issued a token, as it is stored. `operator` is the command line, or the first start. */
export type IssuedVia = 'session' | 'token' | 'operator';

/** What issued a token, for its owner. */
export type TokenOrigin = IssuedVia | 'administrator' | 'unknown';

export const TOKEN_ORIGINS: readonly TokenOrigin[] = [
  'session',
  'token',
  'administrator',
  'operator',
  'unknown',
];

/** The session or token that issues a token. */
export interface TokenIssuer {
  readonly via: 'session' | 'token';
  readonly accountId: string;
  /** That token, or the one that started the session; absent if a link did. */
  readonly tokenId: string | undefined;
}

/** Only an administrator issues tokens of other accounts. Older tokens have no `via`. */
export function tokenOrigin(token: {
  readonly accountId: string;
  readonly via: IssuedVia | undefined;
  readonly issuerAccountId: string | undefined;
}): TokenOrigin {
  const { accountId, via, issuerAccountId } = token;
  if (via === undefined || via === 'operator') return via ?? 'unknown';
  return issuerAccountId === accountId ? via : 'administrator';
}
