import pg from 'pg';
import { type Migration, pendingMigrations, readMigrations } from '../migrate.ts';
import { nameOf } from './address.ts';
import { isInTheWay, pauseBefore } from './failures.ts';
import { checkPooler } from './pooler.ts';
import { connectionTo, openPools, type Pools } from './pools.ts';
import { explain, lackingRight, whyNotConnected } from './refusals.ts';

const LEAST_VERSION = 15;
/** Whoever migrates holds it; any number, as long as it is always the same. */
const MIGRATING = 7_265_770_001;
/** A migration or a move takes as long as it needs, whatever the role is told for its other connections. */
const PATIENT =
  '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0 -c tcp_user_timeout=0';
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
  await prepare(url);
  return { connection, pools: openPools(connection, poolSize) };
}

async function prepare(url: string): Promise<void> {
  const client = await connectPatiently(url);
  try {
    await checkServer(client, url);
    await checkPooler(client, () => connectPatiently(url), nameOf(url));
    await migrate(client, url);
  } catch (cause) {
    throw explain(cause, url);
  } finally {
    await client.end();
  }
}

/** A connection for what takes long, with those settings besides. */
export async function connectPatiently(url: string, settings = ''): Promise<pg.Client> {
  const connection = connectionTo(url);
  // PgBouncer takes no space at the end.
  const options = `${connection.options} ${PATIENT} ${settings}`.trimEnd();
  let client: pg.Client | undefined;
  try {
    // It reads certificates, which may not be there.
    client = new pg.Client({ ...connection, options, pipeline: false, query_timeout: 0 });
    // Whoever asks next is told.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  } catch (cause) {
    // One that was refused would keep the process for a minute.
    client?.end().catch(() => undefined);
    throw whyNotConnected(cause, url);
  }
}

async function checkServer(client: pg.Client, url: string): Promise<void> {
  const version = Math.floor(Number(await settingOf(client, 'server_version_num')) / 10_000);
  if (version < LEAST_VERSION)
    throw new Error(`PostgreSQL ${version} is too old: ${LEAST_VERSION} or later is needed`);
  const encoding = await settingOf(client, 'server_encoding');
  if (encoding !== 'UTF8')
    throw new Error(
      `${nameOf(url)} is in ${encoding}, which cannot hold all texts: make a database in UTF-8 (createdb --encoding=UTF8 --template=template0)`,
    );
}

async function settingOf(client: pg.Client, name: string): Promise<string | undefined> {
  const { rows } = await client.query<Record<string, string>>(`show ${name}`);
  return rows[0]?.[name];
}

/** Before the first of many: where the right to make something is missing, nothing has been made. */
async function checkRights(client: pg.Client, url: string): Promise<void> {
  const { rows } = await client.query<{ schema: string | null; may: boolean; mayMake: boolean }>(
    `select current_schema() as schema,
      has_schema_privilege(current_schema(), 'create') as may,
      has_database_privilege(current_database(), 'create') as "mayMake"`,
  );
  const { schema, may, mayMake } = rows[0] ?? { schema: null, may: false, mayMake: false };
  if (schema === null)
    throw new Error(
      `${nameOf(url)} has none of the schemas in the search_path of its user: make one of them`,
    );
  if (!may) throw lackingRight(`permission denied for schema ${schema}`, url);
  if (!mayMake) throw lackingRight('it may not make a schema', url);
}

/** Each migration is one transaction: one that is cut off is applied whole at the next start. Others who start wait. */
async function migrate(client: pg.Client, url: string): Promise<void> {
  const known = readMigrations('postgres');
  const pending = async () => pendingMigrations(known, await applied(client));
  const missing = await pending();
  if (missing.length === 0) return;
  if (missing.length === known.length) await checkRights(client, url);
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
