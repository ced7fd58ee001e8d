import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { openDatabase } from '../sqlite/open.ts';
import { describeUsers } from '../sqlite/other-processes.ts';
import { Statements } from '../sqlite/statements.ts';
import type { UnitOfWork } from '../units/unit-of-work.ts';
import type { IndexDefinition, MoveEndpoint } from './move-endpoint.ts';
import { checkSource } from './preconditions.ts';
import type { Row } from './rows.ts';
import type { MovedTable } from './tables.ts';

/** https://www.sqlite.org/rescode.html#notadb */
const NOT_A_DATABASE = 26;
const BUSY = 5;
const BUSY_TIMEOUT_MS = 5000;
const CACHE_KIB = 256 * 1024;
/** 160 MiB of WAL. With more frequent checkpoints, pages are written more than once. */
const CHECKPOINT_PAGES = 40_000;

/** No other process may have the source open, and none can use it until it is closed. */
export async function openSqliteSource(file: string): Promise<MoveEndpoint> {
  if (!existsSync(file)) throw new Error(`there is no store at ${file}`);
  const begin = `
    pragma locking_mode = exclusive;
    pragma cache_size = -${CACHE_KIB};
    begin immediate
  `;
  const endpoint = new SqliteEndpoint(`sqlite:${file}`, open(file, 'cannot be locked', begin));
  try {
    await checkSource(endpoint);
  } catch (cause) {
    await endpoint.close();
    throw cause;
  }
  return endpoint;
}

/**
 * Creates the store if the file is missing. An existing one is opened unchanged. No other
 * connection can use it until it is closed.
 */
export function openSqliteTarget(file: string): MoveEndpoint {
  // Opened as by a server, which applies the migrations.
  if (!existsSync(file))
    withFileName(file, 'cannot be written to', () => openDatabase(file).close());
  const db = open(
    file,
    'cannot be written to',
    `
      pragma locking_mode = exclusive;
      pragma journal_mode = wal;
      pragma foreign_keys = on;
      pragma cache_size = -${CACHE_KIB};
      pragma temp_store = memory;
      pragma wal_autocheckpoint = ${CHECKPOINT_PAGES};
      begin immediate; rollback;
    `,
  );
  // The progress is committed with the rows, so rows lost in a power failure are moved again.
  db.exec('pragma synchronous = normal');
  return new SqliteEndpoint(`sqlite:${file}`, db);
}

function open(file: string, problem: string, begin: string): DatabaseSync {
  const db = withFileName(
    file,
    problem,
    () => new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS }),
  );
  try {
    withFileName(file, problem, () => db.exec(begin));
    return db;
  } catch (cause) {
    db.close();
    throw cause;
  }
}

/** Adds the file to errors of SQLite, which do not name it. */
function withFileName<Result>(file: string, problem: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const { message, errcode } = cause as Error & { readonly errcode?: number };
    if (errcode === NOT_A_DATABASE)
      throw new Error(`sqlite:${file} is not a store of Rapsheet: ${message}`, { cause });
    const reason = errcode === BUSY ? `${describeUsers(file)} uses it: stop it first` : message;
    throw new Error(`sqlite:${file} ${problem}: ${reason}`, { cause });
  }
}

class SqliteEndpoint implements MoveEndpoint {
  readonly name: string;
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(name: string, db: DatabaseSync) {
    this.name = name;
    this.#db = db;
    this.#statements = new Statements(db);
  }

  async query(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    // Rows have numbers, texts, bytes and nulls only.
    const parameters = values as readonly SQLInputValue[];
    // Arrays because of `setReturnArrays`, which the types do not reflect.
    return this.#prepare(sql).all(...parameters) as unknown as readonly Row[];
  }

  async transact<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#db.exec('begin immediate');
    try {
      const result = await work();
      this.#db.exec('commit');
      return result;
    } catch (cause) {
      if (this.#db.isTransaction) this.#db.exec('rollback');
      throw cause;
    }
  }

  async insert({ name, columns }: MovedTable, rows: readonly Row[]): Promise<void> {
    const parameters = columns.map((_, index) => `$${index + 1}`);
    const statement = this.#prepare(
      `insert into ${name} (${columns.join(', ')}) values (${parameters.join(', ')})`,
    );
    for (const row of rows) statement.run(...(row as readonly SQLInputValue[]));
  }

  async perform<Result>(work: UnitOfWork<Result>): Promise<Result> {
    return this.#statements.perform(work);
  }

  async indexes(): Promise<readonly IndexDefinition[]> {
    const found = await this.query(
      "select name, sql from sqlite_schema where type = 'index' and sql is not null order by name",
    );
    return found.map(([name, sql]) => ({ name: String(name), sql: String(sql) }));
  }

  async lastReport(): Promise<number> {
    return Number((await this.query('select last_report from installation'))[0]?.[0]);
  }

  /** SQLite derives the other numbers from the highest row. */
  async setNumbers(lastReport: number): Promise<void> {
    await this.query('update installation set last_report = $1', [lastReport]);
  }

  async settle(): Promise<void> {
    this.#db.exec('pragma synchronous = full; pragma wal_checkpoint(truncate)');
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #prepare(sql: string): StatementSync {
    const cached = this.#prepared.get(sql);
    if (cached !== undefined) return cached;
    const statement = this.#db.prepare(sql.replaceAll(/\$(\d+)/g, '?$1'));
    statement.setReturnArrays(true);
    this.#prepared.set(sql, statement);
    return statement;
  }
}
