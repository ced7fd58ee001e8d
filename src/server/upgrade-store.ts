import type { Config } from '../config.ts';
import { readApplied } from '../storage/sqlite/migrate.ts';
import { openDatabase } from '../storage/sqlite/open.ts';

/**
 * Applies the migrations of this version, and returns their names. On PostgreSQL, `besideOthers`
 * applies them even while nodes are connected that the store does not admit afterwards.
 */
export async function upgradeStore(
  { database }: Pick<Config, 'database'>,
  { besideOthers }: { readonly besideOthers: boolean },
): Promise<readonly string[]> {
  if (database.kind === 'sqlite') return upgradeFile(database.file);
  // Loaded on demand: on SQLite the driver would only slow down a command.
  const { preparePostgres } = await import('../storage/postgres/open.ts');
  return await preparePostgres(database.url, { besideOthers });
}

function upgradeFile(file: string): readonly string[] {
  const before = new Set(readApplied(file));
  openDatabase(file).close();
  return readApplied(file).filter((name) => !before.has(name));
}
