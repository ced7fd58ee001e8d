import { Problem } from '../../domain/problem.ts';
import type { MemoryKind, MemoryNumbers } from '../../observability/memory-metrics.ts';

/** No account may hold more than a quarter of the budget. */
const SHARE_OF_ACCOUNT = 4;
/** Responses that are not read are aborted within about half a minute. */
const RETRY_AFTER_SECONDS = 5;

/** Counted memory. A second release has no effect. */
export interface HeldMemory {
  release(): void;
}

interface Reservation {
  readonly bytes: number;
  readonly grant: (held: HeldMemory) => void;
}

/**
 * Counts the memory held for clients: arriving bodies, unread responses, streams, uploads and
 * pipelined requests. Work that would exceed the budget is refused before it starts.
 */
export class MemoryBudget {
  readonly #limitBytes: number;
  readonly #accountLimitBytes: number;
  readonly #numbers: MemoryNumbers;
  #totalBytes = 0;
  readonly #byAccount = new Map<string, number>();
  /**
   * Reservations by account, each in order of arrival. The account that got memory last is the last
   * key of the map.
   */
  readonly #queues = new Map<string, Set<Reservation>>();

  constructor(numbers: MemoryNumbers, limitBytes: number) {
    this.#limitBytes = limitBytes;
    this.#accountLimitBytes = Math.floor(limitBytes / SHARE_OF_ACCOUNT);
    this.#numbers = numbers;
    numbers.budgetBytes = limitBytes;
  }

  get isFull(): boolean {
    return this.#totalBytes >= this.#limitBytes;
  }

  /** Whether this kind alone holds more than a quarter of the budget. */
  isTightFor(kind: MemoryKind): boolean {
    return this.isFull || this.#numbers.heldBytes[kind] >= this.#accountLimitBytes;
  }

  /** Whether the account holds less than its share. Otherwise it must read its responses first. */
  hasShareLeft(accountId: string): boolean {
    return (this.#byAccount.get(accountId) ?? 0) < this.#accountLimitBytes;
  }

  /** Throws `overloaded` if there is no memory for work of this kind. */
  admit(kind: MemoryKind, accountId?: string): void {
    if (this.isFull || (accountId !== undefined && !this.hasShareLeft(accountId)))
      throw this.refusal(kind);
  }

  /** Counts the bytes, or throws `overloaded`. */
  take(kind: MemoryKind, bytes: number, accountId?: string): HeldMemory {
    this.admit(kind, accountId);
    if (this.#totalBytes + bytes > this.#limitBytes && this.#totalBytes > 0)
      throw this.refusal(kind);
    return this.hold(kind, bytes, accountId);
  }

  /** Counts bytes that are held already, even above the budget. */
  hold(kind: MemoryKind, bytes: number, accountId?: string): HeldMemory {
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

  /** Adds the bytes, which may be negative, to the counters. */
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
   * Waits for memory, for a response that has been charged and must not be refused. The promise
   * rejects if `signal` aborts, which it does when the client disconnects. Accounts are
   * served round robin. No account overtakes one that waits for the budget; it may overtake one
   * that waits for its own share.
   */
  async reserve(bytes: number, accountId: string, signal: AbortSignal): Promise<HeldMemory> {
    signal.throwIfAborted();
    const isFirst = !this.#queues.has(accountId) && !this.#hasQueuedForBudget();
    if (isFirst && this.#fitsShare(bytes, accountId) && this.#fitsBudget(bytes))
      return this.hold('answers', bytes, accountId);
    const { promise, resolve, reject } = Promise.withResolvers<HeldMemory>();
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
    // An account with more reservations is appended to the map, so this loop visits it again.
    for (const [accountId, queue] of this.#queues) {
      const [first] = queue;
      if (first === undefined || !this.#fitsShare(first.bytes, accountId)) continue;
      // Otherwise smaller reservations could overtake it forever.
      if (!this.#fitsBudget(first.bytes)) return;
      queue.delete(first);
      this.#queues.delete(accountId);
      if (queue.size > 0) this.#queues.set(accountId, queue);
      first.grant(this.hold('answers', first.bytes, accountId));
    }
  }

  /** Whether a reservation waits for the budget rather than for its account's share. */
  #hasQueuedForBudget(): boolean {
    for (const [accountId, [first]] of this.#queues)
      if (first !== undefined && this.#fitsShare(first.bytes, accountId)) return true;
    return false;
  }

  /**
   * A reservation above the limit is granted if the account holds nothing, because it would wait
   * forever.
   */
  #fitsShare(bytes: number, accountId: string): boolean {
    const held = this.#byAccount.get(accountId) ?? 0;
    return held + bytes <= this.#accountLimitBytes || held === 0;
  }

  #fitsBudget(bytes: number): boolean {
    const { answers } = this.#numbers.heldBytes;
    return this.#totalBytes + bytes <= this.#limitBytes || answers === 0;
  }
}
