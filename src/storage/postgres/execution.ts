import type pg from 'pg';
import type { EachStep, JobStep, LockStep, QueryStep, SingleStep } from '../units/steps.ts';
import type { UnitOfWork } from '../units/unit-of-work.ts';
import type { ChangeChannel } from './change-channel.ts';
import { lockStatement } from './locks.ts';
import type { BoundStatement, Row } from './statement-pipeline.ts';
import { Statements } from './statements.ts';
import type { Transaction } from './transaction.ts';
import type { Compensation } from './uncertain-commits.ts';

/** Enqueues or removes a job in the open transaction of a connection. */
export type RunJobStep = (client: pg.ClientBase, step: JobStep) => Promise<void>;

/** Collected from the steps of a unit. */
export interface Effects {
  /** The feeds that the unit has changed. */
  readonly changed: Set<string>;
  hasDeliveries: boolean;
  hasJobs: boolean;
  readonly compensations: Compensation[];
}

export const noEffects = (): Effects => ({
  changed: new Set(),
  hasDeliveries: false,
  hasJobs: false,
  compensations: [],
});

/** Executes the steps of units of work in a transaction. */
export class UnitExecutor {
  readonly #statements = new Statements();
  readonly #changes: ChangeChannel;
  readonly #runJobStep: RunJobStep;

  constructor(changes: ChangeChannel, runJobStep: RunJobStep) {
    this.#changes = changes;
    this.#runJobStep = runJobStep;
  }

  /** Without a transaction. */
  async runAlone(client: pg.ClientBase, step: QueryStep): Promise<readonly unknown[]> {
    return await this.#statements.run(client, step);
  }

  async perform<Result>(
    transaction: Transaction,
    work: UnitOfWork<Result>,
    effects: Effects,
  ): Promise<Result> {
    let next = work.next([]);
    while (!next.done) {
      const { value: step } = next;
      const answers = await this.#run(
        transaction,
        step.kind === 'parallel' ? step.steps : [step],
        effects,
      );
      next = work.next(step.kind === 'parallel' ? answers : (answers[0] ?? []));
    }
    // It is still closed if the unit has no steps, or only deferred ones.
    await transaction.open();
    return next.value;
  }

  /**
   * Sends the statements of all steps together, and then runs the other steps. If all of them are
   * deferred, they are sent with the next step or the commit.
   */
  async #run(
    transaction: Transaction,
    steps: readonly SingleStep[],
    effects: Effects,
  ): Promise<readonly (readonly unknown[])[]> {
    const statements = steps.filter(isStatement);
    const group = await this.#bindAll(transaction, statements);
    const results: (readonly Row[])[] = [];
    if (statements.every(isDeferred)) transaction.defer(group);
    else results.push(...(await transaction.run(group)));
    const answers: (readonly unknown[])[] = [];
    for (const step of steps) {
      if (isStatement(step)) answers.push(this.#answer(step, results.shift() ?? []));
      else {
        await this.#runOther(transaction, step, effects);
        answers.push([]);
      }
    }
    return answers;
  }

  async #bindAll(
    transaction: Transaction,
    steps: readonly StatementStep[],
  ): Promise<readonly BoundStatement[]> {
    const group = [];
    for (const step of steps)
      group.push(
        step.kind === 'lock' ? lockStatement(step) : await this.#statements.bind(step, transaction),
      );
    return group;
  }

  #answer(step: StatementStep, rows: readonly Row[]): readonly unknown[] {
    return step.kind === 'lock' || isDeferred(step) ? [] : this.#statements.answer(step, rows);
  }

  async #runOther(transaction: Transaction, step: OtherStep, effects: Effects): Promise<void> {
    switch (step.kind) {
      case 'enqueue-job':
      case 'remove-job':
        effects.hasJobs ||= step.kind === 'enqueue-job';
        await transaction.flush();
        return await this.#runJobStep(transaction.client, step);
      case 'access-changed':
        await transaction.flush();
        return await this.#changes.notifyAccessChange(transaction.client);
      case 'compensation':
        effects.compensations.push(step.compensate);
        return;
      case 'feed-changed':
        effects.changed.add(step.service);
        return;
      case 'deliveries-queued':
        effects.hasDeliveries = true;
    }
  }
}

type StatementStep = QueryStep | EachStep | LockStep;
type OtherStep = Exclude<SingleStep, StatementStep>;

function isDeferred(step: SingleStep): boolean {
  return step.kind === 'each' && step.isDeferred === true;
}

function isStatement(step: SingleStep): step is StatementStep {
  return step.kind === 'query' || step.kind === 'each' || step.kind === 'lock';
}
