import type pg from 'pg';
import { FIRST_DECLARED, oldestAfter, schemaOf } from '../../domain/admission.ts';
import { type Migration, pendingMigrations, readMigrations } from '../migrate.ts';
import { missingPrivilege } from './connection-errors.ts';
import { databaseLabel } from './connection-url.ts';
import { backOff, isLockConflict } from './failures.ts';
import { requireNoOlder } from './other-nodes.ts';

/** Advisory lock held by the process that migrates. The number is arbitrary but must not change. */
const MIGRATION_LOCK = 7_265_770_001;
/**
 * A migration that waits for a lock blocks all later transactions of running nodes, so not for
 * long.
 */
const LOCK_TIMEOUT = '1s';
const MAX_ATTEMPTS = 30;

export interface MigrationOptions {
  /** Migrates even while nodes are connected that are not admitted afterwards. */
  readonly besideOthers?: boolean;
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
 * that start meanwhile wait for the lock. Returns the names of the migrations applied.
 */
export async function migrate(
  client: pg.Client,
  url: string,
  { besideOthers = false }: MigrationOptions = {},
): Promise<readonly string[]> {
  const known = readMigrations('postgres');
  const pending = async () => pendingMigrations(known, await appliedMigrations(client));
  const missing = await pending();
  if (missing.length === 0) return [];
  const isNew = missing.length === known.length;
  if (isNew) await checkPrivileges(client, url);
  await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
  try {
    await client.query(
      'create table if not exists migration (name text primary key, applied_at timestamptz not null)',
    );
    const left = await pending();
    if (!isNew && !besideOthers) await requireNoOlder(client, oldestAfter(left), url);
    for (const migration of left) await apply(client, migration);
    return left.map(({ name }) => name);
  } finally {
    // If the connection is lost, so is the lock, and that error is the one to report.
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
  }
}

export async function appliedMigrations(client: pg.Client): Promise<readonly string[]> {
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

async function applyOnce(client: pg.Client, migration: Migration): Promise<void> {
  const { name, sql, olderNodes } = migration;
  const number = schemaOf(name);
  const ends = olderNodes === 'must stop' && number > FIRST_DECLARED;
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    // Waits for all transactions of running nodes. Their next ones wait for this one, and are then
    // refused; so no snapshot of theirs is older than a table that is written anew.
    if (ends) await client.query('lock table admission in access exclusive mode');
    await client.query(sql);
    if (ends) await client.query('update admission set oldest_schema = $1', [number]);
    await client.query('insert into migration values ($1, now())', [name]);
    await client.query('commit');
  } catch (cause) {
    await client.query('rollback').catch(() => undefined);
    throw cause;
  }
}
