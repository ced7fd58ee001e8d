import { Problem } from '../../domain/problem.ts';
import type { UnitOfMany, UnitOfWork } from '../unit-of-work.ts';

/** A call that waits to be handed on with others. */
export interface Call {
  readonly input: unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

/** How calls that wait together are answered: all at once, or not at all. */
export type Perform = (work: () => UnitOfWork<readonly unknown[]>) => Promise<readonly unknown[]>;

export interface GathererOptions {
  readonly perform: Perform;
  /** So many batches are under way at once. While they are, others gather. */
  readonly atOnce: number;
}

/** More are left to the next batch: a statement must not grow without bound. */
const MOST_CALLS = 500;
/** More are refused at once: where the database hangs they would only be refused later, and fill the memory until then. */
export const MOST_WAITING = 10_000;

/** Collects the calls of one kind while others of it are under way, and then hands them on as one unit of work. */
export class Gatherer {
  readonly #work: UnitOfMany<unknown, unknown>;
  readonly #perform: Perform;
  readonly #atOnce: number;
  #waiting: Call[] = [];
  #underWay = 0;
  #isScheduled = false;

  constructor(work: UnitOfMany<unknown, unknown>, { perform, atOnce }: GathererOptions) {
    this.#work = work;
    this.#perform = perform;
    this.#atOnce = atOnce;
  }

  add(input: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= MOST_WAITING) {
        const cause = new Error('too many calls wait for the database');
        reject(new Problem('unavailable', { cause, retryAfterSeconds: 1 }));
        return;
      }
      this.#waiting.push({ input, resolve, reject });
      this.#schedule();
    });
  }

  /** What arrives in this turn of the event loop goes together. */
  #schedule(): void {
    if (this.#isScheduled || this.#underWay >= this.#atOnce) return;
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
    const inputs = calls.map(({ input }) => input);
    try {
      const results = await this.#perform(() => this.#work(inputs));
      return () => {
        for (const [place, { resolve }] of calls.entries()) resolve(results[place]);
      };
    } catch (cause) {
      if (calls.length > 1 && isOfOneCall(cause)) return await this.#settleEach(calls);
      return () => {
        for (const { reject } of calls) reject(cause);
      };
    }
  }

  /** One after the other. */
  async #settleEach(calls: readonly Call[]): Promise<() => void> {
    for (const call of calls) (await this.#settle([call]))();
    return () => undefined;
  }
}

/** An outage is everybody's; anything else must not take the neighbours of the call that caused it with it. */
function isOfOneCall(cause: unknown): boolean {
  return !(cause instanceof Problem && cause.code === 'unavailable');
}
