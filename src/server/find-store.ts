import { join } from 'node:path';
import { DATABASE_FILE } from '../config/locations.ts';
import type { Config } from '../config.ts';
import { hasSqliteStore } from '../storage/sqlite/open.ts';

type Location = Pick<Config, 'database' | 'dataDir'>;

/** Whether the settings name a store that exists. Changes nothing. */
export async function hasStore({ database }: Location): Promise<boolean> {
  if (database.kind === 'sqlite') return hasSqliteStore(database.file);
  // Loaded on demand: on SQLite the driver would only slow down a command.
  const { hasPostgresStore } = await import('../storage/postgres/open.ts');
  return hasPostgresStore(database.url);
}

/** Where the store is, without the password. */
export function storeLocation({ database, dataDir }: Location): string {
  if (database.kind === 'postgres') {
    const { host, pathname } = new URL(database.url);
    return `the database ${host}${pathname}`;
  }
  return isInDataDir({ database, dataDir }) ? dataDir : database.file;
}

/** The setting that names the store. */
export function storeSetting(location: Location): 'RAPSHEET_DATA_DIR' | 'RAPSHEET_DATABASE_URL' {
  return isInDataDir(location) ? 'RAPSHEET_DATA_DIR' : 'RAPSHEET_DATABASE_URL';
}

function isInDataDir({ database, dataDir }: Location): boolean {
  return database.kind === 'sqlite' && database.file === join(dataDir, DATABASE_FILE);
}
