import { Problem } from '../../domain/problem.ts';
import type { UnitOfMany, UnitOfWork } from '../unit-of-work.ts';
import { isInTheWay } from './failures.ts';

/** A call that waits to be handed on with others. */
interface Call {
  readonly input: unknown;
  /** The one row that it needs for itself, such as a feed or an account. */
  readonly key: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

/** How calls that wait together are answered: all at once, or not at all. */
export type Perform = (work: () => UnitOfWork<readonly unknown[]>) => Promise<readonly unknown[]>;

export interface GathererOptions {
  readonly perform: Perform;
  /** The same, with more patience, for those whose row is locked: beside the others, which go on. */
  readonly performApart: Perform;
  /** So many batches are under way at once. While they are, others gather. */
  readonly atOnce: number;
}

/** More are left to the next batch: a statement must not grow without bound. */
const MOST_CALLS = 500;
/** More are refused at once: where the database hangs they would only be refused later, and fill the memory until then. */
export const MOST_WAITING = 10_000;

/**
 * Collects the calls of one kind while others of it are under way, and then hands them on as one unit of work. Where a row that
 * one of them needs is locked for long, the batch is taken apart by rows, and calls for a row that is waited for wait for each
 * other alone.
 */
export class Gatherer {
  readonly #work: UnitOfMany<unknown, unknown>;
  readonly #options: GathererOptions;
  /** Calls for rows that are waited for, behind those that wait. */
  readonly #apart = new Map<string, Call[]>();
  #waiting: Call[] = [];
  #underWay = 0;
  #isScheduled = false;

  constructor(work: UnitOfMany<unknown, unknown>, options: GathererOptions) {
    this.#work = work;
    this.#options = options;
  }

  add(input: unknown, key: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#countWaiting() >= MOST_WAITING) {
        const cause = new Error('too many calls wait for the database');
        reject(new Problem('unavailable', { cause, retryAfterSeconds: 1 }));
        return;
      }
      const call = { input, key, resolve, reject };
      const apart = this.#apart.get(key);
      if (apart !== undefined) {
        apart.push(call);
        return;
      }
      this.#waiting.push(call);
      this.#schedule();
    });
  }

  #countWaiting(): number {
    let count = this.#waiting.length;
    for (const calls of this.#apart.values()) count += calls.length;
    return count;
  }

  /** What arrives in this turn of the event loop goes together. */
  #schedule(): void {
    if (this.#isScheduled || this.#underWay >= this.#options.atOnce) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#next();
    });
  }

  async #next(): Promise<void> {
    const calls = this.#waiting.slice(0, MOST_CALLS);
    this.#waiting = this.#waiting.slice(MOST_CALLS);
    if (calls.length === 0) return;
    this.#underWay += 1;
    if (this.#waiting.length > 0) this.#schedule();
    const answer = await this.#settle(calls);
    this.#underWay -= 1;
    if (this.#waiting.length === 0) return answer();
    // The database has the next batch before these callers have their answers: what they do with them takes time, in
    // which it would have nothing to do.
    void this.#next();
    setImmediate(answer);
  }

  /** How the callers are to be answered. */
  async #settle(calls: readonly Call[]): Promise<() => void> {
    try {
      const results = await this.#options.perform(() => this.#work(calls.map(inputOf)));
      return () => answerAll(calls, results);
    } catch (cause) {
      if (isLocked(cause)) return () => this.#takeApart(calls);
      if (calls.length > 1 && isOfOneCall(cause)) return await this.#settleEach(calls);
      return () => refuseAll(calls, cause);
    }
  }

  /** One after the other. */
  async #settleEach(calls: readonly Call[]): Promise<() => void> {
    for (const call of calls) (await this.#settle([call]))();
    return () => undefined;
  }

  #takeApart(calls: readonly Call[]): void {
    for (const [key, ofOne] of Map.groupBy(calls, (call) => call.key)) {
      const known = this.#apart.get(key);
      if (known !== undefined) known.push(...ofOne);
      else {
        this.#apart.set(key, ofOne);
        void this.#settleApart(key);
      }
    }
  }

  /** Until nobody is left who needs that row. */
  async #settleApart(key: string): Promise<void> {
    for (;;) {
      const calls = this.#apart.get(key)?.splice(0, MOST_CALLS) ?? [];
      if (calls.length === 0) break;
      try {
        const results = await this.#options.performApart(() => this.#work(calls.map(inputOf)));
        answerAll(calls, results);
      } catch (cause) {
        if (calls.length > 1 && isOfOneCall(cause)) (await this.#settleEach(calls))();
        else refuseAll(calls, cause);
      }
    }
    this.#apart.delete(key);
  }
}

const inputOf = ({ input }: Call) => input;

function answerAll(calls: readonly Call[], results: readonly unknown[]): void {
  for (const [place, { resolve }] of calls.entries()) resolve(results[place]);
}

function refuseAll(calls: readonly Call[], cause: unknown): void {
  for (const { reject } of calls) reject(cause);
}

function isLocked(cause: unknown): boolean {
  return cause instanceof Problem && isInTheWay(cause.cause);
}

/** An outage is everybody's; anything else must not take the neighbours of the call that caused it with it. */
function isOfOneCall(cause: unknown): boolean {
  return !(cause instanceof Problem && cause.code === 'unavailable');
}
