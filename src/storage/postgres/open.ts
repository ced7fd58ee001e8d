import pg from 'pg';
import { type Migration, pendingMigrations, readMigrations } from '../migrate.ts';
import { connectError, missingPrivilege, setupError } from './connection-errors.ts';
import { databaseLabel } from './connection-url.ts';
import { backOff, isLockConflict } from './failures.ts';
import { checkPooler } from './pooler.ts';
import { connectionTo, openPools, type Pools } from './pools.ts';

const MIN_VERSION = 15;
/** Advisory lock held by the process that migrates. The number is arbitrary but must not change. */
const MIGRATION_LOCK = 7_265_770_001;
/** Migrations and moves may take any time, regardless of the settings of the role. */
const NO_TIMEOUTS =
  '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0 -c tcp_user_timeout=0';
/** A start or a move, on a busy machine or a server that has just started, waits this long. */
const CONNECT_MS = 15_000;
/**
 * A migration that waits for a lock blocks all later transactions of running nodes, so not for
 * long.
 */
const LOCK_TIMEOUT = '1s';
const MAX_ATTEMPTS = 30;

export interface PostgresDatabase {
  readonly connection: pg.ClientConfig;
  readonly pools: Pools;
}

/** Connects, checks the server and applies pending migrations. */
export async function openPostgres(
  url: string,
  poolSize: number,
  statementMs?: number,
): Promise<PostgresDatabase> {
  const connection = connectionTo(url, statementMs);
  await prepare(url);
  return { connection, pools: openPools(connection, poolSize) };
}

/** Whether the database has our tables. Changes nothing. */
export async function hasPostgresStore(url: string): Promise<boolean> {
  const client = await connectWithoutTimeouts(url);
  try {
    return (await applied(client)).length > 0;
  } catch (cause) {
    throw setupError(cause, url);
  } finally {
    await client.end();
  }
}

async function prepare(url: string): Promise<void> {
  const client = await connectWithoutTimeouts(url);
  try {
    await checkServer(client, url);
    await checkPooler(client, () => connectWithoutTimeouts(url), databaseLabel(url));
    await migrate(client, url);
  } catch (cause) {
    throw setupError(cause, url);
  } finally {
    await client.end();
  }
}

/**
 * For statements that take long. `settings` are added to those of every connection. A query fails
 * after `queryMs` even if the server is silent; 0 for never.
 */
export async function connectWithoutTimeouts(
  url: string,
  settings = '',
  queryMs = 0,
): Promise<pg.Client> {
  const connection = connectionTo(url);
  // PgBouncer rejects a trailing space.
  const options = `${connection.options} ${NO_TIMEOUTS} ${settings}`.trimEnd();
  let client: pg.Client | undefined;
  try {
    // Inside `try`: the constructor reads certificate files, which may be missing.
    client = new pg.Client({
      ...connection,
      options,
      pipeline: false,
      query_timeout: queryMs,
      // With a limit for its queries, the caller does not wait long for the connection either.
      ...(queryMs === 0 && { connectionTimeoutMillis: CONNECT_MS }),
    });
    // The next query reports the error.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  } catch (cause) {
    // A refused client would keep the process alive for a minute.
    client?.end().catch(() => undefined);
    throw connectError(cause, url);
  }
}

async function checkServer(client: pg.Client, url: string): Promise<void> {
  const version = Math.floor(Number(await settingOf(client, 'server_version_num')) / 10_000);
  if (version < MIN_VERSION)
    throw new Error(`PostgreSQL ${version} is too old: ${MIN_VERSION} or later is needed`);
  const encoding = await settingOf(client, 'server_encoding');
  if (encoding !== 'UTF8')
    throw new Error(
      `${databaseLabel(url)} is in ${encoding}, which cannot hold all texts: make a database in UTF-8 (createdb --encoding=UTF8 --template=template0)`,
    );
}

async function settingOf(client: pg.Client, name: string): Promise<string | undefined> {
  const { rows } = await client.query<Record<string, string>>(`show ${name}`);
  return rows[0]?.[name];
}

interface Privileges {
  readonly schema: string | null;
  readonly mayCreateTables: boolean;
  readonly mayCreateSchemas: boolean;
}

/** Before the first migration, so that missing privileges leave an empty database. */
async function checkPrivileges(client: pg.Client, url: string): Promise<void> {
  const { rows } = await client.query<Privileges>(
    `select current_schema() as schema,
      has_schema_privilege(current_schema(), 'create') as "mayCreateTables",
      has_database_privilege(current_database(), 'create') as "mayCreateSchemas"`,
  );
  const { schema = null, mayCreateTables = false, mayCreateSchemas = false } = rows[0] ?? {};
  if (schema === null)
    throw new Error(
      `${databaseLabel(url)} has none of the schemas in the search_path of its user: make one of them`,
    );
  if (!mayCreateTables) throw missingPrivilege(`permission denied for schema ${schema}`, url);
  if (!mayCreateSchemas) throw missingPrivilege('it may not make a schema', url);
}

/**
 * Each migration is one transaction. The next start applies an interrupted one again. Other nodes
 * that start meanwhile wait for the lock.
 */
async function migrate(client: pg.Client, url: string): Promise<void> {
  const known = readMigrations('postgres');
  const pending = async () => pendingMigrations(known, await applied(client));
  const missing = await pending();
  if (missing.length === 0) return;
  if (missing.length === known.length) await checkPrivileges(client, url);
  await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
  try {
    await client.query(
      'create table if not exists migration (name text primary key, applied_at timestamptz not null)',
    );
    for (const migration of await pending()) await apply(client, migration);
  } finally {
    // If the connection is lost, so is the lock, and that error is the one to report.
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
  }
}

async function applied(client: pg.Client): Promise<readonly string[]> {
  const { rows: tables } = await client.query(
    "select to_regclass('migration') is not null as exists",
  );
  if (tables[0]?.exists !== true) return [];
  const { rows } = await client.query<{ name: string }>('select name from migration');
  return rows.map(({ name }) => name);
}

/** Retries after a conflict over a lock, so that running nodes can finish their transactions. */
async function apply(client: pg.Client, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await applyOnce(client, migration);
    } catch (cause) {
      if (!isLockConflict(cause) || attempt >= MAX_ATTEMPTS) throw cause;
      await backOff(attempt);
    }
  }
}

async function applyOnce(client: pg.Client, { name, sql }: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    await client.query(sql);
    await client.query('insert into migration values ($1, now())', [name]);
    await client.query('commit');
  } catch (cause) {
    await client.query('rollback').catch(() => undefined);
    throw cause;
  }
}
