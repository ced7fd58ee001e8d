import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { CompensationStep, UnitOfWork } from '../unit-of-work.ts';
import { isOver, type Mark, removeMark } from './outcome.ts';

const PAUSE_MS = 500;

export type Compensation = CompensationStep['compensation'];

interface Unsettled {
  readonly mark: Mark;
  readonly compensations: readonly Compensation[];
}

export interface SettlementOptions {
  /** For the compensating transactions. */
  readonly pool: pg.Pool;
  /** For what is only asked. */
  readonly reads: pg.Pool;
  /** Runs a unit on the connection of a running transaction. */
  perform(client: pg.ClientBase, work: UnitOfWork<void>): Promise<void>;
}

/**
 * Calls that were refused because nobody could say what became of their commit. Once the database is back, each is
 * looked for by its mark: where the commit stands, what it charged is given back. The mark is removed in the transaction
 * that gives back, so that is done exactly once, however often it is begun. There are no more of them than connections
 * were lost in the middle of a commit. With the process they are gone.
 */
export class Settlements {
  readonly #options: SettlementOptions;
  readonly #stopping = new AbortController();
  #unsettled: readonly Unsettled[] = [];
  #running: Promise<void> | undefined;

  constructor(options: SettlementOptions) {
    this.#options = options;
  }

  add(mark: Mark, compensations: readonly Compensation[]): void {
    if (compensations.length === 0) return;
    this.#unsettled = [...this.#unsettled, { mark, compensations }];
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Tries once more what is left. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#settleAll();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (this.#unsettled.length > 0 && !signal.aborted) {
      await this.#settleAll();
      await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #settleAll(): Promise<void> {
    for (const one of this.#unsettled) {
      const isSettled = await this.#settle(one).catch(() => false);
      if (!isSettled) return;
      this.#unsettled = this.#unsettled.filter((other) => other !== one);
    }
  }

  /** False where the transaction in question is still under way, or nobody can tell. */
  async #settle({ mark, compensations }: Unsettled): Promise<boolean> {
    const { pool, reads, perform } = this.#options;
    if (!(await isOver(reads, mark))) return false;
    const client = await pool.connect();
    try {
      await client.query('begin');
      if (await removeMark(client, mark))
        for (const compensation of compensations) await perform(client, compensation());
      await client.query('commit');
      client.release();
      return true;
    } catch (cause) {
      // What became of it is seen by the mark, the next time.
      client.release(true);
      throw cause;
    }
  }
}
