import { DatabaseSync } from 'node:sqlite';
import type { Serializers, Store } from '../../ports/store.ts';
import { pendingMigrations, readMigrations } from '../migrate.ts';
import { storeOver } from '../store.ts';
import type { Runner } from '../unit-of-work.ts';
import { Checkpointer } from './checkpointer.ts';
import { SqliteRunner } from './runner.ts';

/** How long a statement waits for another process's transaction before the runner lets the event loop turn. */
const BUSY_TIMEOUT_MS = 20;
const CACHE_KIB = 64 * 1024;
/** Of each connection for reads: they are used for long reads only, and while a long transaction is open. */
const READ_CACHE_KIB = 8 * 1024;
/** 256 MiB of log: more than the checkpointer lets come together, unless it cannot work. */
const LAST_RESORT_PAGES = 65_536;

/** Opens the store in that file (`:memory:` for one that is gone with the process), and brings it up to date. */
export function openSqliteStore(file: string, serializers: Serializers): Store {
  return storeOver(openSqliteRunner(file), serializers);
}

export function openSqliteRunner(file: string): Runner {
  const db = openDatabase(file);
  if (file === ':memory:') return new SqliteRunner(db);
  const checkpointer = new Checkpointer(db, file);
  return new SqliteRunner(db, { checkpointer, connect: () => openForReads(file) });
}

/** Another connection to a database that is open already. */
export function openForReads(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  db.exec(`
    pragma query_only = on;
    pragma cache_size = -${READ_CACHE_KIB};
    pragma temp_store = memory;
  `);
  return db;
}

export function openDatabase(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 5000 });
  try {
    // Full: a commit is on the disk before anybody is told of it.
    db.exec(`
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma foreign_keys = on;
      pragma cache_size = -${CACHE_KIB};
      pragma temp_store = memory;
      pragma wal_autocheckpoint = ${LAST_RESORT_PAGES};
    `);
    migrate(db);
    db.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  } catch (cause) {
    db.close();
    throw cause;
  }
  return db;
}

/** Each migration is one transaction: one that is cut off is applied whole at the next start. */
function migrate(db: DatabaseSync): void {
  const known = readMigrations('sqlite');
  db.exec(
    'create table if not exists migration (name text primary key, applied_at text not null) strict',
  );
  const isPending = () => {
    const applied = db.prepare('select name from migration').all() as { name: string }[];
    return pendingMigrations(
      known,
      applied.map(({ name }) => name),
    );
  };
  while (isPending().length > 0) {
    db.exec('begin immediate');
    try {
      // Asked again inside the transaction: another process may have applied it meanwhile.
      const next = isPending()[0];
      if (next !== undefined) {
        db.exec(next.sql);
        db.prepare('insert into migration values (?, ?)').run(next.name, new Date().toISOString());
      }
      db.exec('commit');
    } catch (cause) {
      db.exec('rollback');
      throw cause;
    }
  }
}
