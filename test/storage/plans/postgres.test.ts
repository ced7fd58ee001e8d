import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { newStoreDatabase, type TestDatabase } from '../../postgres.ts';
import { type DefinedQuery, definedQueries } from './definitions.ts';
import {
  BOUNDED_TABLES,
  type Exception,
  exceptionOf,
  isListed,
  NOT_ON_POSTGRES,
  NOT_RUN,
} from './exceptions.ts';
import { fillStatements } from './large-store.ts';
import { parametersOf } from './parameters.ts';
import { literal, type Plan, rowsRead, shapeOf, wrongScans } from './postgres-plan.ts';

const ROWS = 4000;
/** About the number at which PostgreSQL analyses a table for the first time. */
const FEW_ROWS = 60;
/** The rows of all tables of a statement; the limit of a page is 20. */
const MAX_ROWS = 500;
/** Pages of tables and indexes. */
const MAX_BUFFERS = 600;

interface Statement {
  readonly key: string;
  readonly exception: Exception;
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Measured extends Statement {
  readonly plan: Plan;
}

let database: TestDatabase;
let close: () => Promise<void>;
let statements: readonly Statement[];
/**
 * In a new store; with many rows that were never analysed; with statistics; with statistics of few
 * rows.
 */
let empty: readonly Measured[];
let large: readonly Measured[];
let analysed: readonly Measured[];
let small: readonly Measured[];
/** The first column of each index. */
let firstColumns: ReadonlyMap<string, string>;

before(async () => {
  const found = (await definedQueries()).filter(
    ({ file, name }) => !isListed(NOT_RUN, file, name) && !isListed(NOT_ON_POSTGRES, file, name),
  );
  // Imported late, because imports publish queries.
  const { openPostgres } = await import('../../../src/storage/postgres/open.ts');
  database = await newStoreDatabase();
  const { pools } = await openPostgres(database.url, 10);
  close = async () => {
    await pools.end();
    await database.drop();
  };
  await withoutAutovacuum();
  statements = await statementsOf(found);
  empty = await onOwnConnection(pools.reads, (client) => measureAll(client, false));
  await database.run(fillStatements('postgres', ROWS).join(';'));
  large = await onOwnConnection(pools.reads, (client) => measureAll(client, true));
  await database.run('analyze');
  analysed = await onOwnConnection(pools.writes, (client) => measureAll(client, true));
  await emptyTables();
  await database.run(fillStatements('postgres', FEW_ROWS).join(';'));
  await database.run('analyze');
  small = await onOwnConnection(pools.reads, (client) => measureAll(client, false));
  firstColumns = await readFirstColumns();
});

after(() => close());

/** Turns autovacuum off: the test decides when there are statistics. */
async function withoutAutovacuum(): Promise<void> {
  const tables = await database.run(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  for (const { name } of tables)
    await database.run(`alter table ${String(name)} set (autovacuum_enabled = false)`);
}

async function emptyTables(): Promise<void> {
  const [found] = await database.run(
    `select string_agg(tablename, ', ') as tables from pg_tables
    where schemaname = 'public' and tablename not in ('migration', 'admission', 'installation', 'back_fill')`,
  );
  await database.run(`truncate ${String(found?.['tables'])} restart identity`);
}

/** A connection with the settings of the store and without cached plans. */
async function onOwnConnection<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release(true);
  }
}

/** The statements of the runner, for one and, if `each()` is used, for many. */
async function statementsOf(found: readonly DefinedQuery[]): Promise<readonly Statement[]> {
  const { Statements } = await import('../../../src/storage/postgres/statements.ts');
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const built = new Statements();
  const all: Statement[] = [];
  for (const { file, name, query, isForMany } of found) {
    const values = parametersOf(file, name);
    const exception = exceptionOf(file, name) ?? { why: '' };
    for (const each of isForMany ? [[values], [values, values]] : [[values]]) {
      const sent = await sentBy(client, (recorder) =>
        built.run(recorder, { kind: 'each', query, list: each }),
      );
      const key = `${file}#${name}${each.length > 1 ? ' for many' : ''}`;
      all.push({ key, exception, ...sent });
    }
  }
  await client.end();
  return all;
}

type Sent = Pick<Statement, 'text' | 'values'>;

/**
 * Returns the last prepared statement without running it. Statements sent as plain text are run.
 */
async function sentBy(
  client: pg.Client,
  work: (recorder: pg.ClientBase) => Promise<unknown>,
): Promise<Sent> {
  let sent: Sent | undefined;
  const query = async (
    config: string | (Sent & { readonly name?: string }),
    values?: unknown[],
  ) => {
    if (typeof config === 'string') return await client.query(config, values);
    sent = config;
    return { rows: [] };
  };
  await work({ query } as unknown as pg.ClientBase);
  return sent ?? assert.fail('nothing was sent');
}

async function measureAll(client: pg.PoolClient, isRun: boolean): Promise<readonly Measured[]> {
  const measured: Measured[] = [];
  for (const one of statements) measured.push({ ...one, plan: await planOf(client, one, isRun) });
  return measured;
}

/** Explains the generic plan. A statement that is run is rolled back. */
async function planOf(
  client: pg.PoolClient,
  { key, text, values }: Statement,
  isRun: boolean,
): Promise<Plan> {
  // The same new row twice would violate a key.
  const isRunnable = isRun && !(key.endsWith('many') && text.startsWith('insert'));
  const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
  try {
    await client.query('begin');
    await client.query(`prepare planned as ${text}`);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (${isRunnable ? 'analyze, buffers, ' : ''}format json) execute planned${given}`,
    );
    return rows[0]?.['QUERY PLAN'][0].Plan ?? assert.fail();
  } catch (cause) {
    throw new Error(`${key}: ${text}`, { cause });
  } finally {
    await client.query('rollback');
    await client.query('deallocate all');
  }
}

async function readFirstColumns(): Promise<ReadonlyMap<string, string>> {
  const rows = await database.run(
    'select indexrelid::regclass::text as index, pg_get_indexdef(indexrelid, 1, true) as first from pg_index',
  );
  return new Map(rows.map(({ index, first }) => [String(index), String(first)]));
}

describe('PostgreSQL', () => {
  it('scans no table, with statistics or without', () => {
    const isWrong = ({ exception, plan }: Measured) =>
      exception.scans ? [] : wrongScans(plan, firstColumns, BOUNDED_TABLES);
    const wrong = [...empty, ...small, ...large, ...analysed].flatMap((one) =>
      isWrong(one).map((scan) => `${one.key}: ${scan} in ${shapeOf(one.plan)}`),
    );
    assert.equal(wrong.join('\n'), '');
  });

  it('uses the same plan for every statement, for any number of rows', () => {
    const wrong = statements.flatMap(({ key }, index) => {
      const shapes = [empty, small, large, analysed].map((plans) => {
        const { plan } = plans[index] ?? assert.fail();
        return shapeOf(plan);
      });
      return new Set(shapes).size > 1 ? [`${key}:\n  ${shapes.join('\n  ')}`] : [];
    });
    assert.equal(wrong.join('\n'), '');
  });

  it('reads a bounded number of rows for every statement', (test) => {
    const wrong = [...large, ...analysed].flatMap(({ key, exception, plan }) => {
      const rows = rowsRead(plan);
      const buffers = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
      const { rows: limit = MAX_ROWS } = exception;
      const isWrong = rows > limit || (exception.rows === undefined && buffers > MAX_BUFFERS);
      return isWrong ? [`${key}: ${rows} rows, ${buffers} pages: ${shapeOf(plan)}`] : [];
    });
    assert.equal(wrong.join('\n'), '');
    test.diagnostic(`${statements.length} statements were run on PostgreSQL`);
    assert.ok(statements.length > 200);
  });
});
