import type { ManyStep, QueryStep, SingleStep, Step, UnitOfWork } from '../unit-of-work.ts';

/** Runs single statements on a connection. */
interface StatementRunner {
  run(step: QueryStep): readonly unknown[];
  take(step: Exclude<SingleStep, ManyStep>, changed: Set<string> | undefined): readonly unknown[];
}

/**
 * A unit of work under way on one connection. It runs statement by statement and can pause between any two of them, so a
 * unit of any length is divided over several turns of the event loop.
 */
export class Execution<Result> {
  readonly #statements: StatementRunner;
  readonly #work: UnitOfWork<Result>;
  /** Collects the feeds that the unit changes. */
  readonly #changed: Set<string> | undefined;
  #turn: IteratorResult<Step, Result>;
  /** The answers to the parts of the current step that have run. */
  #answers: (readonly unknown[])[] = [];
  /** The rows of the current part, where that is a query for many arguments. */
  #many: (readonly unknown[])[] = [];
  /** Whether a statement has run in the current slice. */
  #hasRun = false;

  constructor(statements: StatementRunner, work: UnitOfWork<Result>, changed?: Set<string>) {
    this.#statements = statements;
    this.#work = work;
    this.#changed = changed;
    this.#turn = work.next([]);
  }

  /** Runs until the unit has ended, or until `isOver` is true between two statements. Returns whether it has ended. */
  advance(isOver: () => boolean): boolean {
    this.#hasRun = false;
    while (!this.#turn.done) {
      const step = this.#turn.value;
      const isTogether = 'together' in step;
      if (!this.#advanceParts(isTogether ? step.together : [step], isOver)) return false;
      const answers = this.#answers;
      this.#answers = [];
      this.#turn = this.#work.next(isTogether ? answers : (answers[0] ?? []));
    }
    return true;
  }

  /** Of a unit that has ended. */
  get result(): Result {
    if (!this.#turn.done) throw new Error('the unit of work has not ended');
    return this.#turn.value;
  }

  #advanceParts(parts: readonly SingleStep[], isOver: () => boolean): boolean {
    for (let part = parts[this.#answers.length]; part; part = parts[this.#answers.length]) {
      if ('each' in part) {
        const { query, each } = part;
        for (let index = this.#many.length; index < each.length; index += 1) {
          if (this.#mustPause(isOver)) return false;
          this.#many.push(this.#statements.run({ query, values: each[index] ?? {} }));
        }
        this.#answers.push(this.#many);
        this.#many = [];
      } else {
        if (this.#mustPause(isOver)) return false;
        this.#answers.push(this.#statements.take(part, this.#changed));
      }
    }
    return true;
  }

  /**
   * Asked before a statement, not after it: after the last one there is nothing left to pause for, and a short read that
   * paused there would be run a second time as a long one. One statement runs in each slice.
   */
  #mustPause(isOver: () => boolean): boolean {
    if (this.#hasRun && isOver()) return true;
    this.#hasRun = true;
    return false;
  }
}
