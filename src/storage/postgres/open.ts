import pg from 'pg';
import { connectError, setupError } from './connection-errors.ts';
import { databaseLabel } from './connection-url.ts';
import { appliedMigrations, type MigrationOptions, migrate } from './migrate.ts';
import { checkPooler } from './pooler.ts';
import { connectionTo, openPools, type Pools } from './pools.ts';

const MIN_VERSION = 15;
/** Migrations and moves may take any time, regardless of the settings of the role. */
const NO_TIMEOUTS =
  '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0 -c tcp_user_timeout=0';
/** A start or a move, on a busy machine or a server that has just started, waits this long. */
const CONNECT_MS = 15_000;

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
  await preparePostgres(url);
  return { connection, pools: openPools(connection, poolSize) };
}

/** Whether the database has our tables. Changes nothing. */
export async function hasPostgresStore(url: string): Promise<boolean> {
  const client = await connectWithoutTimeouts(url);
  try {
    return (await appliedMigrations(client)).length > 0;
  } catch (cause) {
    throw setupError(cause, url);
  } finally {
    await client.end();
  }
}

/** Checks the server and applies pending migrations. Returns their names. */
export async function preparePostgres(
  url: string,
  options: MigrationOptions = {},
): Promise<readonly string[]> {
  const client = await connectWithoutTimeouts(url);
  try {
    await checkServer(client, url);
    await checkPooler(client, () => connectWithoutTimeouts(url), databaseLabel(url));
    return await migrate(client, url, options);
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
