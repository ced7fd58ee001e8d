import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Serializers, Store } from '../../ports/store.ts';
import { createStore } from '../stores/store.ts';
import type { Runner } from '../units/runner.ts';
import { Checkpointer } from './checkpointer.ts';
import { migrate, migrateAlone } from './migrate.ts';
import { SqliteRunner } from './runner.ts';

/**
 * A statement blocks the event loop while it waits for the lock of another process, so not for
 * long.
 */
const BUSY_TIMEOUT_MS = 20;
/**
 * The inner pages of the indexes fit, and the leaves of a large store never do. Twice that saves
 * few reads from the kernel's cache, and finding a page then takes longer: the processor's caches
 * hold less of it.
 */
const CACHE_KIB = 16 * 1024;
/** For the additional read connections: long reads, and reads during a long transaction. */
const READ_CACHE_KIB = 8 * 1024;
/**
 * 256 MiB of log. The checkpointer keeps it smaller; beyond this SQLite checkpoints at a commit.
 */
const AUTOCHECKPOINT_PAGES = 65_536;

/** Opens the store in a file, or in memory for `:memory:`, and applies pending migrations. */
export function openSqliteStore(file: string, serializers: Serializers): Store {
  return createStore(openSqliteRunner(file), serializers);
}

export function openSqliteRunner(file: string): Runner {
  const db = openDatabase(file);
  if (file === ':memory:') return new SqliteRunner(db);
  const checkpointer = new Checkpointer(db, file);
  return new SqliteRunner(db, { checkpointer, connect: () => openForReads(file) });
}

/** Opens a read-only connection to a database that `openDatabase` has opened. */
export function openForReads(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  db.exec(`
    pragma query_only = on;
    pragma cache_size = -${READ_CACHE_KIB};
    pragma temp_store = memory;
  `);
  return db;
}

/**
 * Whether the file is a database with our tables. Also `true` if it cannot be read: opening it
 * then fails with the reason. Changes nothing.
 */
export function hasSqliteStore(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    const db = new DatabaseSync(file, { readOnly: true });
    try {
      const found = db.prepare("select 1 from sqlite_schema where name = 'migration'").get();
      return found !== undefined;
    } finally {
      db.close();
    }
  } catch {
    return true;
  }
}

export function openDatabase(file: string): DatabaseSync {
  if (file !== ':memory:') migrateAlone(file);
  return prepareDatabase(new DatabaseSync(file, { timeout: 5000 }));
}

/** Sets the pragmas of the connection and applies pending migrations. Closes it if that fails. */
export function prepareDatabase(db: DatabaseSync): DatabaseSync {
  try {
    // `full` flushes each commit to the disk before it is acknowledged.
    db.exec(`
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma foreign_keys = on;
      pragma cache_size = -${CACHE_KIB};
      pragma temp_store = memory;
      pragma wal_autocheckpoint = ${AUTOCHECKPOINT_PAGES};
    `);
    migrate(db);
    db.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  } catch (cause) {
    db.close();
    throw cause;
  }
  return db;
}
