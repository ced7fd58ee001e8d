import type pg from 'pg';
import { pause } from '../../platform/pause.ts';
import type { CompensationStep } from '../units/steps.ts';
import type { UnitOfWork } from '../units/unit-of-work.ts';
import { type CommitMarker, hasEnded, removeMarker } from './commit-markers.ts';

const RETRY_MS = 500;

export type Compensation = CompensationStep['compensate'];

interface UncertainCommit {
  readonly marker: CommitMarker;
  readonly compensations: readonly Compensation[];
}

export interface UncertainCommitOptions {
  /** For the compensating transactions. */
  readonly pool: pg.Pool;
  /** For queries. */
  readonly reads: pg.Pool;
  /** Throws if the store does not admit this node any more. */
  requireAdmission(client: pg.ClientBase): Promise<void>;
  /** Runs a unit in the open transaction of a connection. */
  perform(client: pg.ClientBase, work: UnitOfWork<void>): Promise<void>;
}

/**
 * Transactions whose callers were refused because the outcome of the commit was unknown. Once the
 * database is reachable again, the marker shows the outcome, and a transaction that was committed
 * is compensated. The compensating transaction also removes the marker, so it takes effect exactly
 * once. The list is bounded by the connections lost during a commit. It is not persistent.
 */
export class UncertainCommits {
  readonly #options: UncertainCommitOptions;
  readonly #stopping = new AbortController();
  #commits: readonly UncertainCommit[] = [];
  #running: Promise<void> | undefined;

  constructor(options: UncertainCommitOptions) {
    this.#options = options;
  }

  add(marker: CommitMarker, compensations: readonly Compensation[]): void {
    if (compensations.length === 0) return;
    this.#commits = [...this.#commits, { marker, compensations }];
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Makes a last attempt for the commits that are left. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#resolveAll();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (this.#commits.length > 0 && !signal.aborted) {
      await this.#resolveAll();
      await pause(RETRY_MS, signal);
    }
  }

  async #resolveAll(): Promise<void> {
    for (const one of this.#commits) {
      const isResolved = await this.#resolve(one).catch(() => false);
      if (!isResolved) return;
      this.#commits = this.#commits.filter((other) => other !== one);
    }
  }

  /** False if the transaction is still running, or the database cannot be reached. */
  async #resolve({ marker, compensations }: UncertainCommit): Promise<boolean> {
    const { pool, reads, perform } = this.#options;
    if (!(await hasEnded(reads, marker))) return false;
    const client = await pool.connect();
    try {
      await client.query('begin');
      // A refused transaction stays in the list until the process ends, which it does soon.
      await this.#options.requireAdmission(client);
      if (await removeMarker(client, marker))
        for (const compensation of compensations) await perform(client, compensation());
      await client.query('commit');
      client.release();
      return true;
    } catch (cause) {
      // If this commit is uncertain, too, the marker shows its outcome at the next attempt.
      client.release(true);
      throw cause;
    }
  }
}
