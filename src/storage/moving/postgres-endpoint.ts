import type pg from 'pg';
import { toArgument } from '../postgres/columns.ts';
import { databaseLabel } from '../postgres/connection-url.ts';
import type { RunJobStep } from '../postgres/execution.ts';
import { connectWithoutTimeouts, openPostgres } from '../postgres/open.ts';
import { requireAlone } from '../postgres/other-nodes.ts';
import { Statements } from '../postgres/statements.ts';
import type { Step } from '../units/steps.ts';
import type { UnitOfWork } from '../units/unit-of-work.ts';
import type { IndexDefinition, MoveEndpoint } from './move-endpoint.ts';
import { checkSource } from './preconditions.ts';
import type { Row } from './rows.ts';
import { INSTALLATION, MOVED, type MovedTable } from './tables.ts';

/** The key of the advisory lock that a move holds on its target. Arbitrary, but fixed. */
const MOVE_LOCK = 7_265_770_002;
const SETTINGS = '-c lock_timeout=5000 -c synchronous_commit=off';
/** Tables with an identity column. */
const NUMBERED = {
  service: 'id',
  audit: 'id',
  sample_c2: 'number',
  sample: 'id',
  search_term: 'id',
  delivery: 'number',
};

/** No node may be connected, and none can use the source until it is closed. */
export async function openPostgresSource(url: string): Promise<MoveEndpoint> {
  const endpoint = await PostgresEndpoint.open(url);
  try {
    // Before the locks: on an older store, locking a missing table would fail with a misleading
    // error.
    await checkSource(endpoint);
    await endpoint.requireAlone(url);
    await lockTables(endpoint);
  } catch (cause) {
    await endpoint.close();
    throw cause;
  }
  return endpoint;
}

async function lockTables(endpoint: MoveEndpoint): Promise<void> {
  const names = [...MOVED, INSTALLATION].map(({ name }) => name);
  try {
    // The snapshot is taken after the locks, so that it includes every write before them.
    await endpoint.query('begin isolation level repeatable read');
    // Every transaction of a node reads this table first: those of nodes that start meanwhile wait,
    // and are refused when the move has ended.
    await endpoint.query('lock table admission in access exclusive mode');
    await endpoint.query(`lock table ${names.join(', ')} in share mode`);
  } catch (cause) {
    throw new Error(`${endpoint.name} cannot be locked: ${(cause as Error).message}`, { cause });
  }
}

/** Creates the schema in an empty database. An existing store is opened unchanged. */
export async function openPostgresTarget(
  url: string,
  runJobStep: RunJobStep,
): Promise<MoveEndpoint> {
  const endpoint = await PostgresEndpoint.open(url, runJobStep);
  try {
    const [locked] = await endpoint.query('select pg_try_advisory_lock($1)', [MOVE_LOCK]);
    if (locked?.[0] !== true) throw new Error(`another move to ${endpoint.name} is running`);
    const [found] = await endpoint.query("select to_regclass('migration') is not null");
    // Opened as by a server, which applies the migrations.
    if (found?.[0] !== true) await (await openPostgres(url, 1)).pools.end();
  } catch (cause) {
    await endpoint.close();
    throw cause;
  }
  return endpoint;
}

const noJobs: RunJobStep = async () => {
  throw new Error('a source of a move has no jobs to run');
};

class PostgresEndpoint implements MoveEndpoint {
  readonly name: string;
  readonly #client: pg.Client;
  readonly #runJobStep: RunJobStep;
  readonly #statements = new Statements();
  readonly #types = new Map<string, readonly string[]>();

  private constructor(name: string, client: pg.Client, runJobStep: RunJobStep) {
    this.name = name;
    this.#client = client;
    this.#runJobStep = runJobStep;
  }

  static async open(url: string, runJobStep = noJobs): Promise<PostgresEndpoint> {
    const client = await connectWithoutTimeouts(url, SETTINGS);
    return new PostgresEndpoint(databaseLabel(url), client, runJobStep);
  }

  /** Throws if other processes use the store. */
  async requireAlone(url: string): Promise<void> {
    await requireAlone(this.#client, url);
  }

  async query(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const converted = values.map(toArgument);
    const { rows } = await this.#client.query({ text: sql, values: converted, rowMode: 'array' });
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

  /** Passes an array for each column, so that all rows are one statement. */
  async insert(table: MovedTable, rows: readonly Row[]): Promise<void> {
    const { name, columns } = table;
    const types = await this.#typesOf(table);
    const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
    await this.#client.query({
      name: `insert ${name}`,
      text: `insert into ${name} (${columns.join(', ')}) select * from unnest(${arrays.join(', ')})`,
      values: columns.map((_, index) => rows.map((row) => toArgument(row[index]))),
    });
  }

  async perform<Result>(work: UnitOfWork<Result>): Promise<Result> {
    let next = work.next([]);
    while (!next.done) next = work.next(await this.#runStep(next.value));
    return next.value;
  }

  async #runStep(step: Step): Promise<readonly unknown[]> {
    if (step.kind === 'parallel') throw new Error('a move does not run parallel steps');
    if (step.kind === 'query' || step.kind === 'each')
      return await this.#statements.run(this.#client, step);
    if (step.kind === 'enqueue-job' || step.kind === 'remove-job')
      await this.#runJobStep(this.#client, step);
    return [];
  }

  async indexes(): Promise<readonly IndexDefinition[]> {
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
    // The planner has no statistics of the new rows, and would choose wrong plans.
    await this.query('analyze');
    // The next commit flushes this and everything before it.
    await this.query('set synchronous_commit = on');
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  async #typesOf({ name, columns }: MovedTable): Promise<readonly string[]> {
    const cached = this.#types.get(name);
    if (cached !== undefined) return cached;
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
