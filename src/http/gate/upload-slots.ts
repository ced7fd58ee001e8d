import type { AccountLimits } from '../../domain/accounts/account-limits.ts';
import { Problem } from '../../domain/problem.ts';
import { AccountSlots } from './account-slots.ts';

/** One of those that are under way is through by then, as far as we can tell. */
const BUSY_SECONDS = 5;

/** Counts the large bodies of one kind that each account is sending. */
export class UploadSlots {
  readonly #slots: AccountSlots;
  readonly #limit: number;

  constructor({ uploads }: AccountLimits) {
    this.#limit = uploads;
    this.#slots = new AccountSlots(uploads);
  }

  /** Why another one would be refused now, if it would. */
  refusal(accountId: string): Problem | undefined {
    return this.#slots.isFull(accountId) ? this.#tooMany() : undefined;
  }

  /** Returns what gives it back. */
  take(accountId: string): () => void {
    const release = this.#slots.take(accountId);
    if (release === undefined) throw this.#tooMany();
    return release;
  }

  #tooMany(): Problem {
    const words = { limit: this.#limit };
    return new Problem('too_many_uploads', { words, retryAfterSeconds: BUSY_SECONDS });
  }
}
