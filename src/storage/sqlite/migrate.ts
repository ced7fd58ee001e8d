import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { FIRST_DECLARED, schemaOf } from '../../domain/admission.ts';
import { type Migration, pendingMigrations, readMigrations } from '../migrate.ts';
import { isBusy } from './failures.ts';
import { describeUsers } from './other-processes.ts';

/** Each attempt waits as long for the other processes; they may be about to end. */
const ATTEMPT_MS = 1000;
const ATTEMPTS = 5;

/** Each migration is one transaction. The next start applies an interrupted one again. */
export function migrate(db: DatabaseSync): void {
  const known = readMigrations('sqlite');
  db.exec(
    'create table if not exists migration (name text primary key, applied_at text not null) strict',
  );
  const pending = () => pendingMigrations(known, appliedMigrations(db));
  while (pending().length > 0) {
    db.exec('begin immediate');
    try {
      // Read again inside the transaction: another process may have applied it in the meantime.
      const [next] = pending();
      if (next !== undefined) apply(db, next);
      db.exec('commit');
    } catch (cause) {
      db.exec('rollback');
      throw cause;
    }
  }
}

function apply(db: DatabaseSync, { name, sql, olderNodes }: Migration): void {
  const number = schemaOf(name);
  db.exec(sql);
  if (olderNodes === 'must stop' && number > FIRST_DECLARED)
    db.prepare('update admission set oldest_schema = ?').run(number);
  db.prepare('insert into migration values (?, ?)').run(name, new Date().toISOString());
}

function appliedMigrations(db: DatabaseSync): readonly string[] {
  const found = db.prepare('select name from migration').all() as { name: string }[];
  return found.map(({ name }) => name);
}

/**
 * Applies the pending migrations of an existing store, if older processes must not outlive one of
 * them, while no other process has the file open. Otherwise `migrate` applies them.
 */
export function migrateAlone(file: string): void {
  for (let attempt = 1; mustBeAlone(file); attempt += 1) {
    const db = openAlone(file);
    if (db !== undefined) {
      try {
        migrate(db);
      } finally {
        db.close();
      }
    } else if (attempt === ATTEMPTS)
      throw new Error(
        `${file} has migrations during which no older program may use it, and ${describeUsers(file)} does: stop it and start again`,
      );
  }
}

/** Fails if the store was moved or is newer. Opening a file that is no database fails later. */
function mustBeAlone(file: string): boolean {
  const applied = existsSync(file) ? readApplied(file) : [];
  if (applied.length === 0) return false;
  const pending = pendingMigrations(readMigrations('sqlite'), applied);
  return pending.some(({ olderNodes }) => olderNodes === 'must stop');
}

/** Empty if the file cannot be read. */
export function readApplied(file: string): readonly string[] {
  try {
    const db = new DatabaseSync(file, { readOnly: true, timeout: ATTEMPT_MS });
    try {
      return appliedMigrations(db);
    } finally {
      db.close();
    }
  } catch {
    return [];
  }
}

/**
 * Every connection of another process to a database in WAL mode holds a lock on the file until it
 * is closed, in any version, so the exclusive lock shows whether there is one. The mode cannot
 * be left: the caller closes the connection.
 */
function openAlone(file: string): DatabaseSync | undefined {
  const db = new DatabaseSync(file, { timeout: ATTEMPT_MS });
  try {
    db.exec(`
      pragma locking_mode = exclusive;
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma foreign_keys = on;
      pragma temp_store = memory;
      begin immediate; rollback;
    `);
    return db;
  } catch (cause) {
    db.close();
    if (isBusy(cause)) return undefined;
    throw cause;
  }
}
