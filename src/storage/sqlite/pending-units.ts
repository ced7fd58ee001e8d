import type { BatchUnit } from '../units/runner.ts';
import type { UnitOfWork } from '../units/unit-of-work.ts';

/** A unit of work that has not run yet, with the promise of its caller. */
export interface PendingUnit {
  readonly work: () => UnitOfWork<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
  /** The calls of a batch, each as a unit of its own. */
  readonly split?: () => readonly PendingUnit[];
}

type Promised = Pick<PendingUnit, 'resolve' | 'reject'>;

interface Batch {
  readonly inputs: unknown[];
  readonly callers: Promised[];
}

/** Further calls form another batch: a unit of thousands of calls would block all other writers. */
const MAX_BATCH_CALLS = 64;

/** Collects the units of work of one turn of the event loop. */
export class PendingUnits {
  #units: PendingUnit[] = [];
  #batches = new Map<unknown, Batch>();
  #calls = 0;

  /** The number of calls added since the last `drain`. */
  get calls(): number {
    return this.#calls;
  }

  get isEmpty(): boolean {
    return this.#units.length === 0;
  }

  add<Result>(work: () => UnitOfWork<Result>): Promise<Result> {
    this.#calls += 1;
    return new Promise((resolve, reject) => {
      // The runner resolves it with the result of this unit.
      this.#units.push({ work, resolve: resolve as PendingUnit['resolve'], reject });
    });
  }

  addToBatch<Input, Result>(work: BatchUnit<Input, Result>, input: Input): Promise<Result> {
    let batch = this.#batches.get(work);
    if (batch === undefined || batch.inputs.length >= MAX_BATCH_CALLS) {
      batch = { inputs: [], callers: [] };
      this.#batches.set(work, batch);
      this.#units.push(unitOf(work as BatchUnit<unknown, unknown>, batch));
    }
    this.#calls += 1;
    const { inputs, callers } = batch;
    inputs.push(input);
    return new Promise((resolve, reject) => {
      callers.push({ resolve: resolve as PendingUnit['resolve'], reject });
    });
  }

  /** Removes and returns all units. Later units wait for the next transaction. */
  drain(): readonly PendingUnit[] {
    const units = this.#units;
    this.#units = [];
    this.#batches = new Map();
    this.#calls = 0;
    return units;
  }
}

function unitOf(work: BatchUnit<unknown, unknown>, { inputs, callers }: Batch): PendingUnit {
  return {
    work: () => work(inputs),
    resolve: (results) => {
      for (const [index, { resolve }] of callers.entries()) resolve((results as unknown[])[index]);
    },
    reject: (cause) => {
      for (const { reject } of callers) reject(cause);
    },
    split: () =>
      callers.map(({ resolve, reject }, index) => ({
        work: () => work([inputs[index]]),
        resolve: (results) => resolve((results as unknown[])[0]),
        reject,
      })),
  };
}
