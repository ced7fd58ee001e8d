import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Admission, SELECT_OLDEST } from '../admission.ts';
import { Statements } from './statements.ts';

/** One connection to the database, with its prepared statements. */
export class Connection {
  readonly db: DatabaseSync;
  readonly statements: Statements;
  readonly #beginRead: StatementSync;
  readonly #beginWrite: StatementSync;
  readonly #commit: StatementSync;
  readonly #selectOldest: StatementSync;
  readonly #admission: Admission;

  constructor(db: DatabaseSync, admission: Admission) {
    this.db = db;
    this.#admission = admission;
    this.#selectOldest = db.prepare(SELECT_OLDEST);
    this.statements = new Statements(db);
    this.#beginRead = db.prepare('begin');
    this.#beginWrite = db.prepare('begin immediate');
    this.#commit = db.prepare('commit');
    // `run` returns the last inserted rowid, and rowids of the text index exceed safe integers.
    for (const statement of [this.#beginRead, this.#beginWrite, this.#commit])
      statement.setReadBigInts(true);
  }

  /** Throws in the open transaction if the store does not admit this process any more. */
  begin(kind: 'read' | 'write'): void {
    this.#admission.require();
    (kind === 'read' ? this.#beginRead : this.#beginWrite).run();
    this.#admission.check(this.#selectOldest.get()?.['oldest_schema']);
  }

  commit(): void {
    this.#commit.run();
  }

  /** Does nothing if no transaction is open or the connection is closed. */
  rollback(): void {
    if (this.db.isOpen && this.db.isTransaction) this.db.exec('rollback');
  }

  close(): void {
    this.db.close();
  }
}
