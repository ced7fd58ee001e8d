/** HTTP to addresses that others name. Everything that leaves does so through this. */
export interface OutgoingHttp {
  /** What is wrong with such an address, as the end of a sentence about it; `undefined` where it may be tried. */
  refusal(url: string): string | undefined;
  /** Sends it once. Never rejects: whatever goes wrong is an answer too. */
  post(request: OutgoingRequest): Promise<OutgoingResult>;
}

export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
}

/** Of an answer nothing is kept but this. */
export type OutgoingResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | undefined;
    }
  | { readonly kind: 'failed'; readonly failure: OutgoingFailure };

/**
 * `refused`: we do not connect to that. `unresolved`: the name has no address. `unreachable`: no connection, or it broke
 * before the end of the answer. `untrusted`: its certificate is not valid for that name. `timeout`: it took too long.
 * `interrupted`: whoever asked ended it.
 */
export type OutgoingFailure =
  | 'refused'
  | 'unresolved'
  | 'unreachable'
  | 'untrusted'
  | 'timeout'
  | 'interrupted';

/** Keeps secrets unreadable at rest. `owner` names what a secret belongs to: sealed for one, it opens for no other. */
export interface Sealer {
  seal(secret: Uint8Array, owner: string): Uint8Array;
  /** `undefined` where it was sealed with another key, for another owner, or was changed. */
  open(sealed: Uint8Array, owner: string): Uint8Array | undefined;
}
