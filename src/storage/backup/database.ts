import { backup, DatabaseSync } from 'node:sqlite';
import { flushPath } from '../../platform/durable-file.ts';

/** So many pages at a time, with a look at the clock in between. */
const PAGES_AT_ONCE = 2000;

export type Progress = (done: number, total: number) => void;

/**
 * Copies the database that is in use as it is now. Whoever writes meanwhile is not held up, and does not make it begin
 * again: the pages are read within one transaction, which sees none of that.
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
  dropUnfit(target);
  await flushPath(target);
}

/**
 * What signs cursors and tickets is a secret in the clear, by which anybody could make some. The store makes another
 * when it needs one. What was known of the clock is of no use when the backup is restored, which may be much later.
 */
function dropUnfit(file: string): void {
  const copy = new DatabaseSync(file);
  try {
    copy.exec(`
      pragma journal_mode = delete;
      pragma secure_delete = on;
      pragma synchronous = full;
      update installation set secret = null;
    `);
    if (hasClock(copy)) copy.exec('update installation set clock_at = null');
  } finally {
    copy.close();
  }
}

/** A store of an older version may not know of it. */
function hasClock(db: DatabaseSync): boolean {
  return migrationsOf(db).some((name) => name.startsWith('0018-clock'));
}

/** The table of uploads, which had another name in a store of an older version. */
export function uploadTableOf(db: DatabaseSync): 'upload' | 'sample' {
  const isRenamed = migrationsOf(db).some((name) => name.startsWith('0019-name-uploads'));
  return isRenamed ? 'upload' : 'sample';
}

export function migrationsOf(db: DatabaseSync): readonly string[] {
  const found = db.prepare('select name from migration order by name').all();
  return found.map(({ name }) => String(name));
}
