import type pg from 'pg';
import { toArgument } from '../postgres/columns.ts';
import { databaseLabel } from '../postgres/connection-url.ts';
import type { RunJobStep } from '../postgres/execution.ts';
import { connectWithoutTimeouts, openPostgres } from '../postgres/open.ts';
import { Statements } from '../postgres/statements.ts';
import type { Step, UnitOfWork } from '../unit-of-work.ts';
import { checkSource } from './readiness.ts';
import type { Row } from './rows.ts';
import type { Side, SideIndex } from './side.ts';
import { INSTALLATION, MOVED, type MovedTable } from './tables.ts';

/** Whoever moves into a database holds it; any number, as long as it is always the same. */
const MOVING = 7_265_770_002;
const SETTINGS = '-c lock_timeout=5000 -c synchronous_commit=off';
/** Tables whose key the database numbers by itself. */
const NUMBERED = {
  service: 'id',
  audit: 'id',
  sample_c2: 'number',
  fuzzy_hash: 'id',
  search_term: 'id',
  delivery: 'number',
};

/** Nobody else writes to it until it is closed; reading goes on. */
export async function openPostgresSource(url: string): Promise<Side> {
  const side = await PostgresSide.open(url);
  try {
    // Tables that it does not have cannot be locked, and that would be all that is said of an older one.
    await checkSource(side);
    await hold(side);
  } catch (cause) {
    await side.close();
    throw cause;
  }
  return side;
}

async function hold(side: Side): Promise<void> {
  const names = [...MOVED, INSTALLATION].map(({ name }) => name);
  try {
    // First the locks, then what is seen: so there is nothing that was written by then and is not seen.
    await side.query('begin isolation level repeatable read');
    await side.query(`lock table ${names.join(', ')} in share mode`);
  } catch (cause) {
    throw new Error(`${side.name} cannot be held still: ${(cause as Error).message}`, { cause });
  }
}

/** A new store, or one that is there: as it is. */
export async function openPostgresTarget(url: string, runJobStep: RunJobStep): Promise<Side> {
  const side = await PostgresSide.open(url, runJobStep);
  try {
    const [locked] = await side.query('select pg_try_advisory_lock($1)', [MOVING]);
    if (locked?.[0] !== true) throw new Error(`something is being moved to ${side.name} already`);
    const [found] = await side.query("select to_regclass('migration') is not null");
    // Its schema is made as a server makes it; one that is there is not touched before it was looked at.
    if (found?.[0] !== true) await (await openPostgres(url, 1)).pools.end();
  } catch (cause) {
    await side.close();
    throw cause;
  }
  return side;
}

const noJobs: RunJobStep = async () => {
  throw new Error('jobs are not moved from here');
};

class PostgresSide implements Side {
  readonly name: string;
  readonly #client: pg.Client;
  readonly #runJobStep: RunJobStep;
  readonly #units = new Statements();
  readonly #types = new Map<string, readonly string[]>();

  private constructor(name: string, client: pg.Client, runJobStep: RunJobStep) {
    this.name = name;
    this.#client = client;
    this.#runJobStep = runJobStep;
  }

  static async open(url: string, runJobStep = noJobs): Promise<PostgresSide> {
    const client = await connectWithoutTimeouts(url, SETTINGS);
    return new PostgresSide(databaseLabel(url), client, runJobStep);
  }

  async query(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const given = values.map(toArgument);
    const { rows } = await this.#client.query({ text: sql, values: given, rowMode: 'array' });
    return rows;
  }

  async transact<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#client.query('begin');
    try {
      const result = await work();
      await this.#client.query('commit');
      return result;
    } catch (cause) {
      await this.#client.query('rollback').catch(() => undefined);
      throw cause;
    }
  }

  /** One array for each column: as many rows as there are in one statement. */
  async insert(table: MovedTable, rows: readonly Row[]): Promise<void> {
    const { name, columns } = table;
    const types = await this.#typesOf(table);
    const arrays = types.map((type, place) => `$${place + 1}::${type}[]`);
    await this.#client.query({
      name: `insert ${name}`,
      text: `insert into ${name} (${columns.join(', ')}) select * from unnest(${arrays.join(', ')})`,
      values: columns.map((_, place) => rows.map((row) => toArgument(row[place]))),
    });
  }

  async perform<Result>(work: UnitOfWork<Result>): Promise<Result> {
    let turn = work.next([]);
    while (!turn.done) turn = work.next(await this.#take(turn.value));
    return turn.value;
  }

  async #take(step: Step): Promise<readonly unknown[]> {
    if (step.kind === 'query') return await this.#units.run(this.#client, step);
    if (step.kind === 'each') return await this.#units.runEach(this.#client, step);
    if (step.kind === 'enqueue-job' || step.kind === 'remove-job')
      await this.#runJobStep(this.#client, step);
    return [];
  }

  async indexes(): Promise<readonly SideIndex[]> {
    const found = await this.query(
      `select relname, pg_get_indexdef(indexrelid) from pg_index
        inner join pg_class on pg_class.oid = indexrelid
        where relnamespace = current_schema()::regnamespace and not indisunique order by relname`,
    );
    return found.map(([name, sql]) => ({ name: String(name), sql: String(sql) }));
  }

  async lastReport(): Promise<number> {
    const [found] = await this.query(
      'select case when is_called then last_value else last_value - 1 end from report_number',
    );
    return Number(found?.[0]);
  }

  async setNumbers(lastReport: number): Promise<void> {
    await this.query("select setval('report_number', greatest($1::bigint, 1), $1::bigint > 0)", [
      lastReport,
    ]);
    for (const [table, column] of Object.entries(NUMBERED)) {
      await this.query(
        `select setval(pg_get_serial_sequence('${table}', '${column}'), coalesce(max(${column}), 1), count(*) > 0) from ${table}`,
      );
    }
  }

  async settle(): Promise<void> {
    // Until then nobody knows how many rows there are, and questions would be answered in the wrong way.
    await this.query('analyze');
    // Everything before it is on the disk with this.
    await this.query('set synchronous_commit = on');
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  async #typesOf({ name, columns }: MovedTable): Promise<readonly string[]> {
    const known = this.#types.get(name);
    if (known !== undefined) return known;
    const found = new Map(
      (
        await this.query(
          'select attname, format_type(atttypid, null) from pg_attribute where attrelid = $1::regclass and attnum > 0',
          [name],
        )
      ).map(([column, type]) => [column, String(type)]),
    );
    const types = columns.map((column) => found.get(column) ?? 'text');
    this.#types.set(name, types);
    return types;
  }
}
