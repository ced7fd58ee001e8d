/** The only HTTP client for URLs that users supply. */
export interface OutgoingHttp {
  /**
   * Why a URL is not allowed, as the end of a sentence (`must …`); `undefined` if it is allowed.
   */
  refusal(url: string): string | undefined;
  /** Sends the request once. It never rejects: a failure is a result. */
  post(request: OutgoingRequest): Promise<OutgoingResult>;
}

export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal?: AbortSignal | undefined;
}

/** The response body is discarded. */
export type OutgoingResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | undefined;
    }
  | { readonly kind: 'failed'; readonly failure: OutgoingFailure };

/**
 * `refused`: the address is not allowed. `unresolved`: the name has no address. `unreachable`: no
 * connection, or it broke before the end of the response. `untrusted`: the certificate is not valid
 * for the name. `timeout`: the time limit passed. `interrupted`: the signal of the request aborted.
 */
export type OutgoingFailure =
  | 'refused'
  | 'unresolved'
  | 'unreachable'
  | 'untrusted'
  | 'timeout'
  | 'interrupted';

/** Encrypts secrets at rest. A secret that was sealed for one `owner` opens for that owner only. */
export interface Sealer {
  seal(secret: Uint8Array, owner: string): Uint8Array;
  /** `undefined` if the key or the owner is another, or the bytes were changed. */
  open(sealed: Uint8Array, owner: string): Uint8Array | undefined;
}
