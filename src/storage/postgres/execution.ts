import type pg from 'pg';
import type { JobStep, Step, UnitOfWork } from '../unit-of-work.ts';
import type { ChangeChannel } from './change-channel.ts';
import { codeOf, FAILED_TRANSACTION } from './failures.ts';
import { takeLock } from './locks.ts';
import { Statements } from './statements.ts';
import type { Compensation } from './uncertain-commits.ts';

/** Enqueues or removes a job in the open transaction of a connection. */
export type RunJobStep = (client: pg.ClientBase, step: JobStep) => Promise<void>;

/** Collected from the steps of a unit. */
export interface Effects {
  /** The feeds that the unit has changed. */
  readonly changed: Set<string>;
  hasDeliveries: boolean;
  readonly compensations: Compensation[];
}

export const noEffects = (): Effects => ({
  changed: new Set(),
  hasDeliveries: false,
  compensations: [],
});

/** Executes the steps of units of work in the open transaction of a connection. */
export class UnitExecutor {
  readonly #statements = new Statements();
  readonly #changes: ChangeChannel;
  readonly #runJobStep: RunJobStep;

  constructor(changes: ChangeChannel, runJobStep: RunJobStep) {
    this.#changes = changes;
    this.#runJobStep = runJobStep;
  }

  /**
   * The first step is sent before `begin` is answered, and PostgreSQL would execute it even if
   * `begin` failed. So a step that is not safe outside a transaction waits for the answer.
   */
  async perform<Result>(
    client: pg.ClientBase,
    work: UnitOfWork<Result>,
    { begun, effects }: { readonly begun: Promise<unknown>; readonly effects: Effects },
  ): Promise<Result> {
    let turn = work.next([]);
    if (!turn.done && !this.#isSafeOutsideTransaction(turn.value)) await begun;
    while (!turn.done) {
      const answer = await this.#runStep(client, turn.value, effects);
      await begun;
      turn = work.next(answer);
    }
    await begun;
    return turn.value;
  }

  #isSafeOutsideTransaction(step: Step): boolean {
    switch (step.kind) {
      case 'parallel':
        return step.steps.every((one) => this.#isSafeOutsideTransaction(one));
      case 'query':
      case 'each':
        return this.#statements.isSafeOutsideTransaction(step);
      case 'lock':
      case 'feed-changed':
      case 'deliveries-queued':
      case 'compensation':
        return true;
      case 'enqueue-job':
      case 'remove-job':
      case 'access-changed':
        return false;
    }
  }

  async #runStep(client: pg.ClientBase, step: Step, effects: Effects): Promise<readonly unknown[]> {
    switch (step.kind) {
      case 'parallel':
        // Pipelined. PostgreSQL answers in the same order.
        return await allOf(step.steps.map((one) => this.#runStep(client, one, effects)));
      case 'query':
        return await this.#statements.run(client, step);
      case 'each':
        return await this.#statements.runEach(client, step);
      case 'lock':
        await takeLock(client, step);
        break;
      case 'enqueue-job':
      case 'remove-job':
        await this.#runJobStep(client, step);
        break;
      case 'access-changed':
        await this.#changes.notifyAccessChange(client);
        break;
      case 'compensation':
        effects.compensations.push(step.compensate);
        break;
      case 'feed-changed':
        effects.changed.add(step.service);
        break;
      case 'deliveries-queued':
        effects.hasDeliveries = true;
        break;
    }
    return [];
  }
}

/** Waits for all steps. Throws the first failure that is not a consequence of another one. */
async function allOf<Result>(steps: readonly Promise<Result>[]): Promise<readonly Result[]> {
  const settled = await Promise.allSettled(steps);
  const failed = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  if (failed.length > 0)
    throw failed.find((cause) => codeOf(cause) !== FAILED_TRANSACTION) ?? failed[0];
  return await Promise.all(steps);
}
