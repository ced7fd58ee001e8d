import { digestToken } from '../../domain/accounts/token.ts';

interface Entry {
  readonly token: string;
  readonly digest: Uint8Array;
}

/**
 * Caches the token digest of each connection. Clients send the same token with every request, and
 * hashing it takes longer than finding the account. A token is compared only with the previous one
 * of the same connection, so the time of the comparison reveals nothing.
 */
export class TokenDigestCache {
  readonly #byConnection = new WeakMap<object, Entry>();

  of(connection: object, token: string): Uint8Array {
    const cached = this.#byConnection.get(connection);
    if (cached !== undefined && cached.token === token) return cached.digest;
    const digest = digestToken(token);
    this.#byConnection.set(connection, { token, digest });
    return digest;
  }
}
