import type { UnitOfMany, UnitOfWork } from '../unit-of-work.ts';

/** A unit of work that waits for its transaction, with whoever waits for its result. */
export interface Waiting {
  readonly work: () => UnitOfWork<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
  /** The calls that were gathered into it, each as a unit of its own. */
  readonly split?: () => readonly Waiting[];
}

type Settle = Pick<Waiting, 'resolve' | 'reject'>;

interface Gathered {
  readonly inputs: unknown[];
  readonly settles: Settle[];
}

/** More calls go into another unit: a unit with thousands of calls would keep all other writers waiting. */
const MOST_CALLS = 64;

/** Collects the units of work of one turn of the event loop, for one transaction. */
export class Lane {
  #waiting: Waiting[] = [];
  #gathered = new Map<unknown, Gathered>();

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add<Result>(work: () => UnitOfWork<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      // Whoever resolves it has run this very unit.
      this.#waiting.push({ work, resolve: resolve as Waiting['resolve'], reject });
    });
  }

  gather<Input, Result>(work: UnitOfMany<Input, Result>, input: Input): Promise<Result> {
    let gathered = this.#gathered.get(work);
    if (gathered === undefined || gathered.inputs.length >= MOST_CALLS) {
      gathered = { inputs: [], settles: [] };
      this.#gathered.set(work, gathered);
      this.#waiting.push(together(work as UnitOfMany<unknown, unknown>, gathered));
    }
    const { inputs, settles } = gathered;
    inputs.push(input);
    return new Promise((resolve, reject) => {
      settles.push({ resolve: resolve as Waiting['resolve'], reject });
    });
  }

  /** All that waits; what comes after this waits for the next transaction. */
  take(): readonly Waiting[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#gathered = new Map();
    return waiting;
  }
}

function together(work: UnitOfMany<unknown, unknown>, { inputs, settles }: Gathered): Waiting {
  return {
    work: () => work(inputs),
    resolve: (results) => {
      for (const [place, { resolve }] of settles.entries()) resolve((results as unknown[])[place]);
    },
    reject: (cause) => {
      for (const { reject } of settles) reject(cause);
    },
    split: () =>
      settles.map(({ resolve, reject }, place) => ({
        work: () => work([inputs[place]]),
        resolve: (results) => resolve((results as unknown[])[0]),
        reject,
      })),
  };
}
