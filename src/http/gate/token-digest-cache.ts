import { digestToken } from '../../domain/accounts/token.ts';

interface Sent {
  readonly token: string;
  readonly digest: Uint8Array;
}

/**
 * The digests of tokens, each computed once a connection: a caller sends the same one again and again, and the
 * digest takes longer than all else that finds its account. A text is only ever compared with what the same
 * connection sent before, so there is nothing to be learnt from how long that takes.
 */
export class TokenDigests {
  readonly #sent = new WeakMap<object, Sent>();

  of(connection: object, token: string): Uint8Array {
    const before = this.#sent.get(connection);
    if (before !== undefined && before.token === token) return before.digest;
    const digest = digestToken(token);
    this.#sent.set(connection, { token, digest });
    return digest;
  }
}
