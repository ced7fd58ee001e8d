import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../src/ports/clock.ts';
import type { Serializers, Store } from '../src/ports/store.ts';
import { sqliteDatabaseOn } from '../src/server/open-sqlite-database.ts';
import { openDatabase, prepareDatabase } from '../src/storage/sqlite/open.ts';
import { SqliteRunner } from '../src/storage/sqlite/runner.ts';
import { createStore } from '../src/storage/stores/store.ts';

/**
 * Empty SQLite stores that are copies of one. Most tests open a store, and applying all migrations
 * takes fifty times longer than copying the result.
 */
let copied: Uint8Array | undefined;

/** The bytes of an empty store. `npm test` names a file in which its processes share them. */
export function emptyStore(): Uint8Array {
  copied ??= readOrWrite(process.env['TEST_EMPTY_STORE']);
  return copied;
}

function readOrWrite(file: string | undefined): Uint8Array {
  if (file === undefined) return makeEmptyStore();
  if (existsSync(file)) return readFileSync(file);
  const bytes = makeEmptyStore();
  const own = `${file}.${process.pid}`;
  writeFileSync(own, bytes);
  renameSync(own, file);
  return bytes;
}

function makeEmptyStore(): Uint8Array {
  const db = openDatabase(':memory:');
  try {
    return db.serialize();
  } finally {
    db.close();
  }
}

export function openMemoryDatabase(): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  db.deserialize(emptyStore());
  return prepareDatabase(db);
}

export function openMemoryStore(serializers: Serializers): Store {
  return createStore(new SqliteRunner(openMemoryDatabase()), serializers);
}

/** A store and its queue in memory. */
export function openMemoryStoreAndQueue(serializers: Serializers, clock?: Clock) {
  return sqliteDatabaseOn(new SqliteRunner(openMemoryDatabase()), serializers, clock);
}
