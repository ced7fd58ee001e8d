import type { ServerResponse } from 'node:http';
import { Problem, type ProblemCode } from '../../domain/problem.ts';

/** By then one of the account's other connections may have ended. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Limits how many uploads, streams or WebSockets each account has open in this process. Accounts
 * with nothing open use no memory.
 */
export class AccountSlots {
  readonly #open = new Map<string, number>();
  readonly #limit: number;
  readonly #code: ProblemCode;

  /** `code` is the refusal above the limit. */
  constructor(limit: number, code: ProblemCode) {
    this.#limit = limit;
    this.#code = code;
  }

  /** The refusal that `take` would throw now, if any. */
  refusal(accountId: string): Problem | undefined {
    if ((this.#open.get(accountId) ?? 0) < this.#limit) return undefined;
    const parameters = { limit: this.#limit };
    return new Problem(this.#code, { parameters, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  /** Returns a function that releases the slot; calling it again has no effect. */
  take(accountId: string): () => void {
    const refusal = this.refusal(accountId);
    if (refusal !== undefined) throw refusal;
    this.#open.set(accountId, (this.#open.get(accountId) ?? 0) + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const remaining = (this.#open.get(accountId) ?? 1) - 1;
      if (remaining === 0) this.#open.delete(accountId);
      else this.#open.set(accountId, remaining);
    };
  }
}

/** Releases a slot when the response is closed, which it may be already. */
export function releaseWith(response: ServerResponse, release: () => void): void {
  if (response.destroyed) release();
  else response.once('close', release);
}
