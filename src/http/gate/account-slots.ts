import type { ServerResponse } from 'node:http';

/** Counts what each account has open in this process. Accounts that have nothing open take no memory. */
export class AccountSlots {
  readonly #open = new Map<string, number>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  isFull(accountId: string): boolean {
    return (this.#open.get(accountId) ?? 0) >= this.#most;
  }

  /** Takes one; `undefined` where all are taken. What is returned gives it back, once. */
  take(accountId: string): (() => void) | undefined {
    if (this.isFull(accountId)) return undefined;
    this.#open.set(accountId, (this.#open.get(accountId) ?? 0) + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = (this.#open.get(accountId) ?? 1) - 1;
      if (left === 0) this.#open.delete(accountId);
      else this.#open.set(accountId, left);
    };
  }
}

/** Gives a slot back when the response is over: sent, refused or broken off, which it may be by now. */
export function releaseWith(response: ServerResponse, release: () => void): void {
  if (response.destroyed) release();
  else response.once('close', release);
}
