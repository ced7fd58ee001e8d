import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Statements } from './statements.ts';

/** One connection to the database, with its prepared statements. */
export class Connection {
  readonly db: DatabaseSync;
  readonly statements: Statements;
  readonly #beginRead: StatementSync;
  readonly #beginWrite: StatementSync;
  readonly #commit: StatementSync;

  constructor(db: DatabaseSync) {
    this.db = db;
    this.statements = new Statements(db);
    this.#beginRead = db.prepare('begin');
    this.#beginWrite = db.prepare('begin immediate');
    this.#commit = db.prepare('commit');
    // They return the rowid of the last insert on the connection; those of the text index are no safe integers.
    for (const statement of [this.#beginRead, this.#beginWrite, this.#commit])
      statement.setReadBigInts(true);
  }

  begin(kind: 'read' | 'write'): void {
    (kind === 'read' ? this.#beginRead : this.#beginWrite).run();
  }

  commit(): void {
    this.#commit.run();
  }

  /** Does nothing where no transaction is open, or where the connection was closed meanwhile. */
  rollback(): void {
    if (this.db.isOpen && this.db.isTransaction) this.db.exec('rollback');
  }

  close(): void {
    this.db.close();
  }
}
