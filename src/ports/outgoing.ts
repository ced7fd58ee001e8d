import type { ProofMethod, ProofProblem } from '../domain/ownership/claim.ts';

/** The only HTTP client for URLs that users supply. */
export interface OutgoingHttp {
  /**
   * Why a URL is not allowed, as the end of a sentence (`must …`); `undefined` if it is allowed.
   */
  refusal(url: string): string | undefined;
  /** Sends the request once. It never rejects: a failure is a result. */
  post(request: OutgoingRequest): Promise<OutgoingResult>;
  /** The same for reading. A redirect is an answer, and is not followed. */
  get(request: OutgoingGet): Promise<ReadResult>;
}

export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal?: AbortSignal | undefined;
}

export interface OutgoingGet extends Omit<OutgoingRequest, 'body'> {
  /** The body is cut there. */
  readonly maxBytes: number;
}

export type ReadResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly body: Uint8Array;
      readonly isCut: boolean;
    }
  | { readonly kind: 'failed'; readonly failure: OutgoingFailure };

/** The response body is discarded. */
export type OutgoingResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | undefined;
    }
  | { readonly kind: 'failed'; readonly failure: OutgoingFailure };

/**
 * `refused`: the address is not allowed. `unresolved`: the name has no address. `unanswered`: the
 * name server did not tell. `unreachable`: no connection, or it broke before the end of the
 * response. `untrusted`: the certificate is not valid for the name. `timeout`: the time limit
 * passed. `interrupted`: the signal of the request aborted.
 */
export type OutgoingFailure =
  | 'refused'
  | 'unresolved'
  | 'unanswered'
  | 'unreachable'
  | 'untrusted'
  | 'timeout'
  | 'interrupted';

/** Asks whether the token of a service is published at a host. */
export interface OwnershipProver {
  /** Why it is not; `undefined` if it is. Rejects if too many checks are running. */
  check(request: ProofRequest): Promise<ProofProblem | undefined>;
}

export interface ProofRequest {
  readonly method: ProofMethod;
  /** The host without the leading `*.` of a pattern. */
  readonly suffix: string;
  readonly token: string;
  readonly signal?: AbortSignal | undefined;
}

/** An encrypted secret, and the id of the key that decrypts it. */
export interface SealedSecret {
  readonly sealed: Uint8Array;
  readonly keyId: string;
}

/** Encrypts secrets at rest. A secret that was sealed for one `owner` opens for that owner only. */
export interface Sealer {
  /** Identifies the key without revealing it. */
  readonly keyId: string;
  seal(secret: Uint8Array, owner: string): SealedSecret;
  /** `undefined` if the key or the owner is another, or the bytes were changed. */
  open(sealed: Uint8Array, owner: string): Uint8Array | undefined;
}
