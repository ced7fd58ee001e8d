import { digestToken } from '../../domain/accounts/token.ts';

interface Entry {
  readonly token: string;
  readonly digest: Uint8Array;
}

/**
 * The digests of tokens, each computed once a connection: a caller sends the same one again and again, and the
 * digest takes longer than all else that finds its account. A text is only ever compared with what the same
 * connection sent before, so there is nothing to be learnt from how long that takes.
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
