import type pg from 'pg';
import { type BoundStatement, type GroupRows, runStatements } from './statement-group.ts';

/**
 * A transaction on a connection. The statements that open it are sent together with its first step,
 * which saves a round trip. If one of them fails, PostgreSQL skips the step.
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

  /** For work that does not go through `run`. */
  async open(): Promise<void> {
    if (this.#opening.length > 0) await this.run([]);
  }

  /** For a statement that is sent with the commit. */
  defer(statement: BoundStatement): void {
    this.#deferred.push(statement);
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
    if (opening.length === 0) return await runStatements(this.client, statements);
    const rows = await runStatements(this.client, [...opening, ...statements]);
    this.opened = rows.slice(0, opening.length);
    return rows.slice(opening.length);
  }
}
