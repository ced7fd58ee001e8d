import { backup, DatabaseSync } from 'node:sqlite';
import { flushPath } from '../../platform/durable-file.ts';

/** Pages copied between two turns of the event loop. */
const PAGES_AT_ONCE = 2000;

export type Progress = (done: number, total: number) => void;

/**
 * Copies a database that may be in use. The pages are read in one transaction, so concurrent writes
 * are neither blocked nor visible, and do not restart the backup.
 */
export async function copyDatabase(
  source: DatabaseSync,
  target: string,
  progress: Progress,
): Promise<void> {
  source.exec('begin');
  try {
    // A transaction sees the store as of its first statement.
    source.prepare('select count(*) from migration').get();
    await backup(source, target, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) =>
        progress(totalPages - remainingPages, totalPages),
    });
  } finally {
    source.exec('rollback');
  }
  removeTransient(target);
  await flushPath(target);
}

/**
 * Removes the secret that signs cursors and tickets, which is not encrypted; the store generates
 * another on demand. Removes the clock reading too, which does not apply when the backup is
 * restored later; and sessions and sign-in links, because a restored backup would revive those that
 * ended or were used since.
 */
function removeTransient(file: string): void {
  const copy = new DatabaseSync(file);
  try {
    copy.exec(`
      pragma journal_mode = delete;
      pragma secure_delete = on;
      pragma synchronous = full;
      update installation set secret = null;
    `);
    // Stores of older versions do not have the columns and tables.
    if (hasMigration(copy, '0018-clock')) copy.exec('update installation set clock_at = null');
    if (hasMigration(copy, '0024-sessions'))
      copy.exec('delete from session; delete from sign_in_link');
  } finally {
    copy.close();
  }
}

/** The table of uploads, which has another name in stores of older versions. */
export function uploadTableOf(db: DatabaseSync): 'upload' | 'sample' {
  return hasMigration(db, '0019-name-uploads') ? 'upload' : 'sample';
}

function hasMigration(db: DatabaseSync, migration: string): boolean {
  return migrationsOf(db).some((name) => name.startsWith(migration));
}

export function migrationsOf(db: DatabaseSync): readonly string[] {
  const found = db.prepare('select name from migration order by name').all();
  return found.map(({ name }) => String(name));
}
