import type { EachStep, SingleStep, Step } from '../units/steps.ts';
import type { UnitOfWork } from '../units/unit-of-work.ts';

/** Collected from the steps of a transaction. */
export interface Effects {
  /** The feeds that have changed. */
  readonly changed: Set<string>;
  hasDeliveries: boolean;
}

export const noEffects = (): Effects => ({ changed: new Set(), hasDeliveries: false });

/** Executes single steps on a connection. */
interface StepRunner {
  /** Runs one or more elements of the list, from `start` on, and adds the rows of each. */
  runSome(step: EachStep, start: number, results: (readonly unknown[])[]): void;
  run(step: Exclude<SingleStep, EachStep>, effects: Effects): readonly unknown[];
}

/**
 * One execution of a unit of work on one connection. It can pause between any two statements, so
 * that a long unit is spread over several turns of the event loop.
 */
export class Execution<Result> {
  readonly #statements: StepRunner;
  readonly #work: UnitOfWork<Result>;
  readonly #effects: Effects;
  #next: IteratorResult<Step, Result>;
  /** The results of the current step so far; a parallel step has several. */
  #results: (readonly unknown[])[] = [];
  /** The results of the current `each` step so far. */
  #eachResults: (readonly unknown[])[] = [];
  /** Whether a statement has run in the current slice. */
  #hasRun = false;

  constructor(statements: StepRunner, work: UnitOfWork<Result>, effects = noEffects()) {
    this.#statements = statements;
    this.#work = work;
    this.#effects = effects;
    this.#next = work.next([]);
  }

  /**
   * Runs until the unit returns or `isOver` is true between two statements. True if it returned.
   */
  advance(isOver: () => boolean): boolean {
    this.#hasRun = false;
    while (!this.#next.done) {
      const step = this.#next.value;
      const isParallel = step.kind === 'parallel';
      if (!this.#advanceSteps(isParallel ? step.steps : [step], isOver)) return false;
      const results = this.#results;
      this.#results = [];
      this.#next = this.#work.next(isParallel ? results : (results[0] ?? []));
    }
    return true;
  }

  /** Available once the unit has returned. */
  get result(): Result {
    if (!this.#next.done) throw new Error('the unit of work has not ended');
    return this.#next.value;
  }

  #advanceSteps(steps: readonly SingleStep[], isOver: () => boolean): boolean {
    for (let step = steps[this.#results.length]; step; step = steps[this.#results.length]) {
      if (step.kind === 'each') {
        if (!this.#advanceEach(step, isOver)) return false;
      } else {
        if (this.#mustPause(isOver)) return false;
        this.#results.push(this.#statements.run(step, this.#effects));
      }
    }
    return true;
  }

  #advanceEach(step: EachStep, isOver: () => boolean): boolean {
    const results = this.#eachResults;
    while (results.length < step.list.length) {
      if (this.#mustPause(isOver)) return false;
      this.#statements.runSome(step, results.length, results);
    }
    this.#results.push(results);
    this.#eachResults = [];
    return true;
  }

  /**
   * Called before a statement, not after it: a pause after the last statement would make a finished
   * short read run again as a long one. At least one statement runs in each slice.
   */
  #mustPause(isOver: () => boolean): boolean {
    if (this.#hasRun && isOver()) return true;
    this.#hasRun = true;
    return false;
  }
}
