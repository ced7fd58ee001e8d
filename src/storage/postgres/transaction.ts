import type pg from 'pg';
import { type BoundStatement, type GroupRows, runStatements } from './statement-group.ts';

/**
 * A transaction on a connection. The statements that open it, and deferred ones, are sent together
 * with the next step or the commit, which saves their round trips. If one of them fails, PostgreSQL
 * skips what follows.
 */
export class Transaction {
  readonly client: pg.ClientBase;
  #opening: readonly BoundStatement[];
  #deferred: BoundStatement[] = [];
  /** The rows of the opening statements. */
  opened: GroupRows = [];

  /** Without opening statements the transaction is open already. */
  constructor(client: pg.ClientBase, opening: readonly BoundStatement[] = []) {
    this.client = client;
    this.#opening = opening;
  }

  /** Sends what is pending, for work that does not go through `run`. */
  async flush(): Promise<void> {
    if (this.#opening.length + this.#deferred.length > 0) await this.run([]);
  }

  /** For a transaction without any step. */
  async open(): Promise<void> {
    if (this.#opening.length > 0) await this.run([]);
  }

  /** For statements whose rows are not needed. */
  defer(statements: readonly BoundStatement[]): void {
    this.#deferred.push(...statements);
  }

  /** The caller sends them. */
  takeDeferred(): readonly BoundStatement[] {
    const deferred = this.#deferred;
    this.#deferred = [];
    return deferred;
  }

  /** Returns the rows of each statement. */
  async run(statements: readonly BoundStatement[]): Promise<GroupRows> {
    const opening = this.#opening;
    this.#opening = [];
    const deferred = this.takeDeferred();
    const rows = await runStatements(this.client, [...opening, ...deferred, ...statements]);
    if (opening.length > 0) this.opened = rows.slice(0, opening.length);
    return rows.slice(opening.length + deferred.length);
  }
}
