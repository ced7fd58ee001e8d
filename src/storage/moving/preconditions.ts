import { createHash } from 'node:crypto';
import { UNCLAIMED } from '../../domain/services/unclaimed.ts';
import { BEING_MOVED, MOVED_AWAY, pendingMigrations, readMigrations } from '../migrate.ts';
import type { MoveEndpoint } from './move-endpoint.ts';
import { MOVED } from './tables.ts';

/** Throws unless the schema of the source is that of this version. It may have been moved. */
export async function checkSource(source: MoveEndpoint): Promise<void> {
  const applied = await migrationsOf(source);
  checkSchema(
    source,
    applied.filter((name) => name !== MOVED_AWAY),
  );
}

/** Whether the target has an unfinished move. Throws if it has rows that are not of a move. */
export async function isMoveStarted(target: MoveEndpoint): Promise<boolean> {
  const applied = await migrationsOf(target);
  if (applied.includes(MOVED_AWAY))
    throw new Error(
      `${target.name} is not empty (it was moved to another database): a move needs an empty target`,
    );
  if (applied.includes(BEING_MOVED)) {
    checkSchema(
      target,
      applied.filter((name) => name !== BEING_MOVED),
    );
    return true;
  }
  checkSchema(target, applied);
  for (const { name } of MOVED) {
    if ((await target.query(`select 1 from ${name} ${besidesBuiltIn(name)} limit 1`)).length > 0)
      throw new Error(
        `${target.name} is not empty (${name} has rows): a move needs an empty target`,
      );
  }
  return false;
}

/** An empty store has the built-in service, which the move replaces. */
function besidesBuiltIn(table: string): string {
  return table === 'service' ? `where slug <> '${UNCLAIMED}' or last_sequence > 0` : '';
}

async function migrationsOf(endpoint: MoveEndpoint): Promise<readonly string[]> {
  try {
    const found = await endpoint.query('select name from migration order by name');
    return found.map(([name]) => String(name));
  } catch (cause) {
    throw new Error(`${endpoint.name} is not a store of Rapsheet: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** The names of migrations are the same for both databases. */
function checkSchema({ name }: MoveEndpoint, applied: readonly string[]): void {
  let pending: readonly unknown[];
  try {
    pending = pendingMigrations(readMigrations('sqlite'), applied);
  } catch (cause) {
    throw new Error(`${name}: ${(cause as Error).message}`, { cause });
  }
  if (pending.length > 0)
    throw new Error(
      `${name} was written by an older Rapsheet: start this version on it once, then move it`,
    );
}

/** Every write to a store changes the result of one of these. */
const FINGERPRINT_QUERIES = [
  'select id, slug, last_sequence, oldest_sequence, webhook_count from service order by id',
  'select id, quota_used, quota_window, quota_extra, disabled from account order by id',
  'select count(*), max(id) from audit',
  'select count(*), max(number) from report',
  'select count(*), max(id) from fuzzy_hash',
  'select count(*), count(ended_at) from upload',
  'select count(*), max(number) from delivery',
  'select count(*), count(revoked_at) from token',
  'select access_version from installation',
  'select name, position from back_fill order by name',
];

/** Identifies a source, and changes with every write to it. */
export async function fingerprintOf(source: MoveEndpoint): Promise<string> {
  const hash = createHash('sha256');
  for (const sql of FINGERPRINT_QUERIES) hash.update(JSON.stringify(await source.query(sql)));
  return hash.digest('hex');
}
