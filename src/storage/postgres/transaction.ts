import type pg from 'pg';
import { type BoundStatement, type PipelineRows, runStatements } from './statement-pipeline.ts';

/**
 * A transaction on a connection. The statements that open it, and deferred ones, are sent together
 * with the next step or the commit, which saves their round trips. A write is sent after the
 * transaction is open: if `begin` failed, it would be executed outside of the transaction.
 */
export class Transaction {
  readonly client: pg.ClientBase;
  #opening: readonly BoundStatement[];
  #deferred: BoundStatement[] = [];
  /** The rows of the opening statements. */
  opened: PipelineRows = [];

  /** Without opening statements the transaction is open already. */
  constructor(client: pg.ClientBase, opening: readonly BoundStatement[] = []) {
    this.client = client;
    this.#opening = opening;
  }

  /** Sends what is pending, for work that does not go through `run`. */
  async flush(): Promise<void> {
    if (this.#opening.length + this.#deferred.length > 0) await this.run([]);
  }

  async open(): Promise<void> {
    const opening = this.#takeOpening();
    if (opening.length > 0) this.opened = await runStatements(this.client, opening);
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
  async run(statements: readonly BoundStatement[]): Promise<PipelineRows> {
    const deferred = this.takeDeferred();
    const sent = [...deferred, ...statements];
    if (sent.some(isWrite)) await this.open();
    const opening = this.#takeOpening();
    const rows = await runStatements(this.client, [...opening, ...sent]);
    if (opening.length > 0) this.opened = rows.slice(0, opening.length);
    return rows.slice(opening.length + deferred.length);
  }

  #takeOpening(): readonly BoundStatement[] {
    const opening = this.#opening;
    this.#opening = [];
    return opening;
  }
}

/** A statement with a `with` clause counts as one: the clause may write. */
function isWrite({ text }: BoundStatement): boolean {
  return !/^\s*select\b/.test(text);
}
