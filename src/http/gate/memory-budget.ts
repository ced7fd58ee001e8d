import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { Problem } from '../../domain/problem.ts';
import type { MemoryKind, MemoryNumbers } from '../../observability/memory-metrics.ts';

const MEBIBYTE = 1024 * 1024;
/** Of the heap or the machine, whichever is smaller: what is held takes about twice what it counts. */
const SHARE_OF_MEMORY = 8;
const MIN_BUDGET_BYTES = 16 * MEBIBYTE;
/** More would not make the service faster: a caller that reads needs a few hundred kilobytes. */
const MAX_BUDGET_BYTES = 96 * MEBIBYTE;
/** No account holds more than this part of the budget, so that others get their answers. */
const SHARE_OF_ACCOUNT = 4;
/** Answers that nobody reads are given up within about half a minute. */
const RETRY_AFTER_SECONDS = 5;

/** What is held until it is released; a second release does nothing. */
export interface Lease {
  release(): void;
}

interface Reservation {
  readonly bytes: number;
  readonly grant: (lease: Lease) => void;
}

/**
 * Counts what the process holds for its callers: bodies that arrive, answers that are not read yet, streams, uploads,
 * requests that wait on their connections. What would exceed the budget is refused before it begins.
 */
export class MemoryBudget {
  readonly #limitBytes: number;
  readonly #accountLimitBytes: number;
  readonly #numbers: MemoryNumbers;
  #totalBytes = 0;
  readonly #byAccount = new Map<string, number>();
  /** By account, and within one in the order of arrival. The account that got memory last is the last of the map. */
  readonly #queues = new Map<string, Set<Reservation>>();

  constructor(numbers: MemoryNumbers, limitBytes = defaultLimitBytes()) {
    this.#limitBytes = limitBytes;
    this.#accountLimitBytes = Math.floor(limitBytes / SHARE_OF_ACCOUNT);
    this.#numbers = numbers;
    numbers.budgetBytes = limitBytes;
  }

  get isFull(): boolean {
    return this.#totalBytes >= this.#limitBytes;
  }

  /** Whether more than a quarter of the budget is held for that alone. */
  isTightFor(kind: MemoryKind): boolean {
    return this.isFull || this.#numbers.heldBytes[kind] >= this.#accountLimitBytes;
  }

  /** Whether the account holds less than its share; otherwise it has to read first. */
  hasShareLeft(accountId: string): boolean {
    return (this.#byAccount.get(accountId) ?? 0) < this.#accountLimitBytes;
  }

  /** Refuses work of that kind while there is no memory for it. */
  admit(kind: MemoryKind, accountId?: string): void {
    if (this.isFull || (accountId !== undefined && !this.hasShareLeft(accountId)))
      throw this.refusal(kind);
  }

  /** Holds so much, or refuses it. */
  take(kind: MemoryKind, bytes: number, accountId?: string): Lease {
    this.admit(kind, accountId);
    if (this.#totalBytes + bytes > this.#limitBytes && this.#totalBytes > 0)
      throw this.refusal(kind);
    return this.hold(kind, bytes, accountId);
  }

  /** Counts what is there in any case. */
  hold(kind: MemoryKind, bytes: number, accountId?: string): Lease {
    this.change(kind, bytes, accountId);
    let isHeld = true;
    return {
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.change(kind, -bytes, accountId);
      },
    };
  }

  /** Adds to what is held, or subtracts from it. */
  change(kind: MemoryKind, bytes: number, accountId?: string): void {
    this.#totalBytes += bytes;
    this.#numbers.heldBytes[kind] += bytes;
    if (accountId !== undefined) {
      const held = (this.#byAccount.get(accountId) ?? 0) + bytes;
      if (held > 0) this.#byAccount.set(accountId, held);
      else this.#byAccount.delete(accountId);
    }
    if (bytes < 0 && this.#queues.size > 0) this.#grantWaiting();
  }

  /**
   * For an answer that is paid for and must not be refused any more: waits until there is memory for it. `signal` ends
   * the wait of a caller that has gone; the promise rejects then. Accounts take turns, and none passes another that
   * waits for the budget, not for its own share.
   */
  async reserve(bytes: number, accountId: string, signal: AbortSignal): Promise<Lease> {
    signal.throwIfAborted();
    const isFirst = !this.#queues.has(accountId) && !this.#hasQueuedForBudget();
    if (isFirst && this.#fitsShare(bytes, accountId) && this.#fitsBudget(bytes))
      return this.hold('answers', bytes, accountId);
    const { promise, resolve, reject } = Promise.withResolvers<Lease>();
    const reservation: Reservation = { bytes, grant: resolve };
    const queue = this.#queues.get(accountId) ?? new Set();
    this.#queues.set(accountId, queue.add(reservation));
    const cancel = () => {
      queue.delete(reservation);
      if (queue.size === 0 && this.#queues.get(accountId) === queue) this.#queues.delete(accountId);
      reject(signal.reason);
      this.#grantWaiting();
    };
    signal.addEventListener('abort', cancel, { once: true });
    return await promise.finally(() => signal.removeEventListener('abort', cancel));
  }

  refusal(kind: MemoryKind): Problem {
    this.#numbers.refusals[kind] += 1;
    return new Problem('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  #grantWaiting(): void {
    // An account that gets memory and waits for more is appended, and so comes up again.
    for (const [accountId, queue] of this.#queues) {
      const [first] = queue;
      if (first === undefined || !this.#fitsShare(first.bytes, accountId)) continue;
      // Smaller ones that passed it again and again would make it wait for ever.
      if (!this.#fitsBudget(first.bytes)) return;
      queue.delete(first);
      this.#queues.delete(accountId);
      if (queue.size > 0) this.#queues.set(accountId, queue);
      first.grant(this.hold('answers', first.bytes, accountId));
    }
  }

  /** Whether a reservation waits for others than those of its own account. */
  #hasQueuedForBudget(): boolean {
    for (const [accountId, [first]] of this.#queues)
      if (first !== undefined && this.#fitsShare(first.bytes, accountId)) return true;
    return false;
  }

  /** What is larger than a limit is let through alone: it would wait for ever. */
  #fitsShare(bytes: number, accountId: string): boolean {
    const held = this.#byAccount.get(accountId) ?? 0;
    return held + bytes <= this.#accountLimitBytes || held === 0;
  }

  #fitsBudget(bytes: number): boolean {
    const { answers } = this.#numbers.heldBytes;
    return this.#totalBytes + bytes <= this.#limitBytes || answers === 0;
  }
}

/** By what the heap may grow to, or the container or machine has. */
function defaultLimitBytes(): number {
  const container = process.constrainedMemory() || Number.MAX_SAFE_INTEGER;
  const memory = Math.min(getHeapStatistics().heap_size_limit, container, totalmem());
  const share = Math.floor(memory / SHARE_OF_MEMORY);
  return Math.min(MAX_BUDGET_BYTES, Math.max(MIN_BUDGET_BYTES, share));
}
