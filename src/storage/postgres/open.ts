import pg from 'pg';
import { type Migration, pendingMigrations, readMigrations } from '../migrate.ts';
import { isInTheWay, pauseBefore } from './failures.ts';
import { connectionTo, openPools, type Pools } from './pools.ts';

const LEAST_VERSION = 15;
/** Whoever migrates holds it; any number, as long as it is always the same. */
const MIGRATING = 7_265_770_001;
const INSUFFICIENT_PRIVILEGE = '42501';
/** A migration or a move takes as long as it needs, whatever the role is told for its other connections. */
export const PATIENT = '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0';
/** Nodes that run meanwhile must not stand still behind a migration that itself waits for one of them. */
const MIGRATION_LOCK = '1s';
const MOST_TRIES = 30;

export interface PostgresDatabase {
  readonly connection: pg.ClientConfig;
  readonly pools: Pools;
}

/** Connects, looks whether this is a database for us, and brings it up to date. */
export async function openPostgres(
  url: string,
  poolSize: number,
  statementMs?: number,
): Promise<PostgresDatabase> {
  const connection = connectionTo(url, statementMs);
  await prepare(url, connection);
  return { connection, pools: openPools(connection, poolSize) };
}

async function prepare(url: string, connection: pg.ClientConfig): Promise<void> {
  const patience = { options: PATIENT, query_timeout: 0 };
  const client = new pg.Client({ ...connection, ...patience, pipeline: false });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (cause) {
    // One that was refused would keep the process for a minute.
    client.end().catch(() => undefined);
    throw new Error(`cannot connect to ${nameOf(url)}: ${reasonOf(cause)}`, { cause });
  }
  try {
    await checkVersion(client);
    await migrate(client);
  } catch (cause) {
    throw explain(cause, url);
  } finally {
    await client.end();
  }
}

/** Says what to do where the user lacks a right. */
export function explain(cause: unknown, url: string): unknown {
  if (!isRefusal(cause)) return cause;
  return new Error(
    `the user of ${nameOf(url)} may not make tables there (${reasonOf(cause)}): make it the owner of the database, or grant it create on the database and on the schema public`,
    { cause },
  );
}

/** Without the password. */
export function nameOf(url: string): string {
  const { host, pathname, username } = new URL(url);
  const user = username === '' ? '' : `${username}@`;
  return `PostgreSQL at ${user}${host}${pathname}`;
}

function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? cause.message : String(cause);
}

function isRefusal(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === INSUFFICIENT_PRIVILEGE;
}

async function checkVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
  const version = Math.floor(Number(rows[0]?.server_version_num ?? 0) / 10_000);
  if (version < LEAST_VERSION)
    throw new Error(`PostgreSQL ${version} is too old: ${LEAST_VERSION} or later is needed`);
}

/** Each migration is one transaction: one that is cut off is applied whole at the next start. Others who start wait. */
async function migrate(client: pg.Client): Promise<void> {
  const known = readMigrations('postgres');
  const pending = async () => pendingMigrations(known, await applied(client));
  if ((await pending()).length === 0) return;
  await client.query('select pg_advisory_lock($1)', [MIGRATING]);
  try {
    await client.query(
      'create table if not exists migration (name text primary key, applied_at timestamptz not null)',
    );
    for (const migration of await pending()) await apply(client, migration);
  } finally {
    // With the connection it ends by itself; why that was lost is the answer then.
    await client.query('select pg_advisory_unlock($1)', [MIGRATING]).catch(() => undefined);
  }
}

async function applied(client: pg.Client): Promise<readonly string[]> {
  const { rows: found } = await client.query(
    "select to_regclass('migration') is not null as is_there",
  );
  if (found[0]?.is_there !== true) return [];
  const { rows } = await client.query<{ name: string }>('select name from migration');
  return rows.map(({ name }) => name);
}

/** Where nodes that run are in its way, it makes room for them and tries again. */
async function apply(client: pg.Client, migration: Migration): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await applyOnce(client, migration);
    } catch (cause) {
      if (!isInTheWay(cause) || tries >= MOST_TRIES) throw cause;
      await pauseBefore(tries);
    }
  }
}

async function applyOnce(client: pg.Client, { name, sql }: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = '${MIGRATION_LOCK}'`);
    await client.query(sql);
    await client.query('insert into migration values ($1, now())', [name]);
    await client.query('commit');
  } catch (cause) {
    await client.query('rollback').catch(() => undefined);
    throw cause;
  }
}
