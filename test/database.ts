import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { DatabaseLocation } from '../src/config/locations.ts';
import { serializers } from '../src/http/responses/present.ts';
import { createLog } from '../src/observability/log.ts';
import type { Queue } from '../src/ports/queue.ts';
import type { Store } from '../src/ports/store.ts';
import { openSqliteDatabase } from '../src/server/open-sqlite-database.ts';
import { emptyStore, openMemoryStoreAndQueue } from './empty-store.ts';

/**
 * Whether the tests run on PostgreSQL (`TEST_STORE=postgres`, set by `npm test -- --postgres`)
 * instead of SQLite. Modules for PostgreSQL are imported only then.
 */
export const onPostgres = process.env['TEST_STORE'] === 'postgres';

/** The options of a test that applies only to SQLite. */
export function onlyOnSqlite(why: string): { readonly skip: string | false } {
  return { skip: onPostgres && `only on SQLite: ${why}` };
}

export interface TestStore {
  readonly store: Store;
  readonly queue: Queue;
  /** Where other connections open it; `undefined` in memory. */
  readonly location: DatabaseLocation | undefined;
  /** Closes the store and drops its database. */
  end(): Promise<void>;
}

/** An empty store for a server in this process. On SQLite in memory unless a file is given. */
export async function openTestStore(file?: string): Promise<TestStore> {
  if (onPostgres) return await openOnPostgres();
  const { store, queue } =
    file === undefined ? openMemoryStoreAndQueue(serializers) : openCopyAt(file);
  const location = file === undefined ? undefined : ({ kind: 'sqlite', file } as const);
  return { store, queue, location, end: () => store.close() };
}

function openCopyAt(file: string) {
  writeFileSync(file, emptyStore(), { mode: 0o600 });
  return openSqliteDatabase(file, serializers);
}

async function openOnPostgres(): Promise<TestStore> {
  const { newStoreDatabase } = await import('./postgres.ts');
  const { openPostgresDatabase } = await import('../src/server/open-postgres-database.ts');
  const { url, drop } = await newStoreDatabase();
  const log = createLog('warn');
  const { store, queue } = await openPostgresDatabase({
    url,
    poolSize: 10,
    serializers,
    log,
  });
  const end = async () => {
    await store.close();
    await drop();
  };
  return { store, queue, location: { kind: 'postgres', url }, end };
}

type Row = Readonly<Record<string, unknown>>;

/** A database for servers that run as separate processes. */
export interface TestDatabase {
  /** The settings of a server that uses the database. */
  readonly settings: Readonly<Record<string, string>>;
  /** Queries the database while servers run. */
  read(sql: string): Promise<readonly Row[]>;
  drop(): Promise<void>;
}

/** On SQLite a file in the folder, which the first server creates; on PostgreSQL a new database. */
export function newTestDatabase(dataDir: string): TestDatabase {
  return onPostgres ? databaseOnPostgres() : databaseOnSqlite(join(dataDir, 'rapsheet.db'));
}

function databaseOnSqlite(file: string): TestDatabase {
  return {
    settings: {},
    read: async (sql) => {
      const db = new DatabaseSync(file, { readOnly: true });
      try {
        return db.prepare(sql).all();
      } finally {
        db.close();
      }
    },
    drop: async () => {},
  };
}

const CREATE = fileURLToPath(new URL('create-database.ts', import.meta.url));

/** Synchronous, because the callers that start a process are. */
function databaseOnPostgres(): TestDatabase {
  const url = execFileSync(process.execPath, [CREATE], { encoding: 'utf8' }).trim();
  return {
    settings: { RAPSHEET_DATABASE_URL: url },
    read: async (sql) => {
      const { runOn } = await import('./postgres.ts');
      return await runOn(url, sql);
    },
    drop: async () => {
      const { dropDatabase } = await import('./postgres.ts');
      await dropDatabase(url);
    },
  };
}
