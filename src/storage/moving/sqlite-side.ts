import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { openDatabase } from '../sqlite/open.ts';
import { Statements } from '../sqlite/statements.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { checkSource } from './readiness.ts';
import type { Row } from './rows.ts';
import type { Side, SideIndex } from './side.ts';
import type { MovedTable } from './tables.ts';

/** https://www.sqlite.org/rescode.html#notadb */
const NOT_A_DATABASE = 26;
const BUSY_TIMEOUT_MS = 5000;
const CACHE_KIB = 256 * 1024;
/** 160 MiB of log: more would only be written twice. */
const CHECKPOINT_PAGES = 40_000;

/** Nobody else writes to it until it is closed; reading goes on. */
export async function openSqliteSource(file: string): Promise<Side> {
  if (!existsSync(file)) throw new Error(`there is no store at ${file}`);
  const begin = `pragma cache_size = -${CACHE_KIB}; begin immediate`;
  const side = new SqliteSide(`sqlite:${file}`, open(file, 'held still', begin));
  try {
    await checkSource(side);
  } catch (cause) {
    await side.close();
    throw cause;
  }
  return side;
}

/** A new store, or one that is there: as it is. Nobody else uses it until it is closed. */
export function openSqliteTarget(file: string): Side {
  // Its schema is made as a server makes it; one that is there is not touched before it was looked at.
  if (!existsSync(file)) named(file, 'written to', () => openDatabase(file).close());
  const db = open(
    file,
    'written to',
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
  // The note of how far it is goes with the rows, so what a crash of the machine takes is moved again.
  db.exec('pragma synchronous = normal');
  return new SqliteSide(`sqlite:${file}`, db);
}

function open(file: string, wish: string, begin: string): DatabaseSync {
  const db = named(file, wish, () => new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS }));
  try {
    named(file, wish, () => db.exec(begin));
    return db;
  } catch (cause) {
    db.close();
    throw cause;
  }
}

/** SQLite does not say of which file it speaks. */
function named<Result>(file: string, wish: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(
      (cause as { readonly errcode?: number }).errcode === NOT_A_DATABASE
        ? `sqlite:${file} is no store of Rapsheet: ${message}`
        : `sqlite:${file} cannot be ${wish}: ${message}`,
      { cause },
    );
  }
}

class SqliteSide implements Side {
  readonly name: string;
  readonly #db: DatabaseSync;
  readonly #units: Statements;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(name: string, db: DatabaseSync) {
    this.name = name;
    this.#db = db;
    this.#units = new Statements(db);
  }

  async query(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    // What is moved are numbers, texts, bytes and nulls: what SQLite takes.
    const given = values as readonly SQLInputValue[];
    // As arrays, although the types know only of objects.
    return this.#prepare(sql).all(...given) as unknown as readonly Row[];
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
    const places = columns.map((_, place) => `$${place + 1}`);
    const statement = this.#prepare(
      `insert into ${name} (${columns.join(', ')}) values (${places.join(', ')})`,
    );
    for (const row of rows) statement.run(...(row as readonly SQLInputValue[]));
  }

  async perform<Result>(work: UnitOfWork<Result>): Promise<Result> {
    return this.#units.perform(work);
  }

  async indexes(): Promise<readonly SideIndex[]> {
    const found = await this.query(
      "select name, sql from sqlite_schema where type = 'index' and sql is not null order by name",
    );
    return found.map(([name, sql]) => ({ name: String(name), sql: String(sql) }));
  }

  async lastReport(): Promise<number> {
    return Number((await this.query('select last_report from installation'))[0]?.[0]);
  }

  /** The others go on after the highest row by themselves, as they always do. */
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
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql.replaceAll(/\$(\d+)/g, '?$1'));
    statement.setReturnArrays(true);
    this.#prepared.set(sql, statement);
    return statement;
  }
}
