import { createHash } from 'node:crypto';
import { BEING_MOVED, pendingMigrations, readMigrations } from '../migrate.ts';
import type { Side } from './side.ts';
import { MOVED } from './tables.ts';

/** A store that this program knows, as it is now: neither newer nor older. */
export async function checkSource(source: Side): Promise<void> {
  refuseOld(source, await migrationsOf(source));
}

/** Whether a move into it was begun. It is refused where it holds anything that is not of a move. */
export async function isBegun(target: Side): Promise<boolean> {
  const applied = await migrationsOf(target);
  if (applied.includes(BEING_MOVED)) {
    refuseOld(
      target,
      applied.filter((name) => name !== BEING_MOVED),
    );
    return true;
  }
  refuseOld(target, applied);
  for (const { name } of MOVED) {
    if ((await target.query(`select 1 from ${name} limit 1`)).length > 0)
      throw new Error(
        `${target.name} is not empty (there is something in ${name}): nothing is moved there`,
      );
  }
  return false;
}

async function migrationsOf(side: Side): Promise<readonly string[]> {
  try {
    const found = await side.query('select name from migration order by name');
    return found.map(([name]) => String(name));
  } catch (cause) {
    throw new Error(`${side.name} is no store of Rapsheet: ${(cause as Error).message}`, { cause });
  }
}

/** The names of migrations are the same for every database. */
function refuseOld({ name }: Side, applied: readonly string[]): void {
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

/** What moves whenever anything is done in a store. */
const HEADS = [
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

/** By which a source is known again, as long as nothing was done in it. */
export async function headsOf(source: Side): Promise<string> {
  const hash = createHash('sha256');
  for (const sql of HEADS) hash.update(JSON.stringify(await source.query(sql)));
  return hash.digest('hex');
}
