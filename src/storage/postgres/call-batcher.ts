import { Problem } from '../../domain/problem.ts';
import type { BatchUnit } from '../units/runner.ts';
import type { UnitOfWork } from '../units/unit-of-work.ts';
import { isLockConflict } from './failures.ts';

/** A pending call. */
interface Call {
  readonly input: unknown;
  /** The row that the call locks, such as a feed or an account. */
  readonly key: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

/** Runs a batch in one transaction. */
export type Perform = (work: () => UnitOfWork<readonly unknown[]>) => Promise<readonly unknown[]>;

export interface CallBatcherOptions {
  readonly perform: Perform;
  /** For calls whose row is locked: waits longer, in parallel with the other batches. */
  readonly performIsolated: Perform;
  /** Number of batches that run at the same time. Calls that arrive meanwhile are pending. */
  readonly concurrency: number;
}

/** Bounds the size of a statement. Further calls wait for the next batch. */
const MAX_CALLS = 500;
/**
 * Further calls are refused: if the database hangs, they would fail later and use memory until
 * then.
 */
export const MAX_PENDING = 10_000;

/**
 * Collects calls of one kind while earlier ones run, and then runs all of them as one unit of work.
 * After a lock timeout the batch is split by key: the calls of each key run isolated, and later
 * calls with a key that is being waited for queue up behind them.
 */
export class CallBatcher {
  readonly #work: BatchUnit<unknown, unknown>;
  readonly #options: CallBatcherOptions;
  /** The pending calls of each key that runs isolated. */
  readonly #isolated = new Map<string, Call[]>();
  #pending: Call[] = [];
  #running = 0;
  #isScheduled = false;

  constructor(work: BatchUnit<unknown, unknown>, options: CallBatcherOptions) {
    this.#work = work;
    this.#options = options;
  }

  add(input: unknown, key: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#countPending() >= MAX_PENDING) {
        const cause = new Error('too many calls wait for the database');
        reject(new Problem('unavailable', { cause, retryAfterSeconds: 1 }));
        return;
      }
      const call = { input, key, resolve, reject };
      const isolated = this.#isolated.get(key);
      if (isolated !== undefined) {
        isolated.push(call);
        return;
      }
      this.#pending.push(call);
      this.#schedule();
    });
  }

  #countPending(): number {
    let count = this.#pending.length;
    for (const calls of this.#isolated.values()) count += calls.length;
    return count;
  }

  /** Calls of the same turn of the event loop share a batch. */
  #schedule(): void {
    if (this.#isScheduled || this.#running >= this.#options.concurrency) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#next();
    });
  }

  async #next(): Promise<void> {
    const calls = this.#pending.slice(0, MAX_CALLS);
    this.#pending = this.#pending.slice(MAX_CALLS);
    if (calls.length === 0) return;
    this.#running += 1;
    if (this.#pending.length > 0) this.#schedule();
    const settle = await this.#perform(calls);
    this.#running -= 1;
    if (this.#pending.length === 0) return settle();
    // The next batch starts before these callers continue: their work takes time in which the
    // database would be idle.
    void this.#next();
    setImmediate(settle);
  }

  /** Runs a batch. Returns how to settle its calls. */
  async #perform(calls: readonly Call[]): Promise<() => void> {
    try {
      const results = await this.#options.perform(() => this.#work(calls.map(inputOf)));
      return () => resolveAll(calls, results);
    } catch (cause) {
      if (isLocked(cause)) return () => this.#isolate(calls);
      if (calls.length > 1 && isOfOneCall(cause)) return await this.#settleEach(calls);
      return () => rejectAll(calls, cause);
    }
  }

  /** In sequence. */
  async #settleEach(calls: readonly Call[]): Promise<() => void> {
    for (const call of calls) (await this.#perform([call]))();
    return () => undefined;
  }

  #isolate(calls: readonly Call[]): void {
    for (const [key, ofKey] of Map.groupBy(calls, (call) => call.key)) {
      const isolated = this.#isolated.get(key);
      if (isolated !== undefined) isolated.push(...ofKey);
      else {
        this.#isolated.set(key, ofKey);
        void this.#settleIsolated(key);
      }
    }
  }

  /** Until no call of that key is pending. */
  async #settleIsolated(key: string): Promise<void> {
    for (;;) {
      const calls = this.#isolated.get(key)?.splice(0, MAX_CALLS) ?? [];
      if (calls.length === 0) break;
      try {
        const results = await this.#options.performIsolated(() => this.#work(calls.map(inputOf)));
        resolveAll(calls, results);
      } catch (cause) {
        if (calls.length > 1 && isOfOneCall(cause)) (await this.#settleEach(calls))();
        else rejectAll(calls, cause);
      }
    }
    this.#isolated.delete(key);
  }
}

const inputOf = ({ input }: Call) => input;

function resolveAll(calls: readonly Call[], results: readonly unknown[]): void {
  for (const [index, { resolve }] of calls.entries()) resolve(results[index]);
}

function rejectAll(calls: readonly Call[], cause: unknown): void {
  for (const { reject } of calls) reject(cause);
}

function isLocked(cause: unknown): boolean {
  return cause instanceof Problem && isLockConflict(cause.cause);
}

/** An outage concerns all calls. Any other failure is of one call, and must not fail the others. */
function isOfOneCall(cause: unknown): boolean {
  return !(cause instanceof Problem && cause.code === 'unavailable');
}
