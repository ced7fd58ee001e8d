import { DatabaseSync } from 'node:sqlite';
import type { Store } from '../../src/ports/store.ts';
import { openPostgresDatabase } from '../../src/server/open-postgres-database.ts';
import { readMigrations } from '../../src/storage/migrate.ts';
import type { Dialect } from '../../src/storage/units/query.ts';
import type { TestDatabase } from '../postgres.ts';
import { testForms } from './contracts/store-contract.ts';

const migrationsBefore = (dialect: Dialect, migration: string) =>
  readMigrations(dialect).filter(({ name }) => name < migration);

/** Creates a database of the version before a migration, with rows. */
export function fillSqliteBefore(migration: string, file: string, rows: readonly string[]): void {
  const db = new DatabaseSync(file);
  db.exec('create table migration (name text primary key, applied_at text not null) strict');
  for (const { name, sql } of migrationsBefore('sqlite', migration)) {
    db.exec(sql);
    db.prepare('insert into migration values (?, ?)').run(name, new Date(0).toISOString());
  }
  for (const sql of rows) db.exec(sql);
  db.close();
}

/** The same on PostgreSQL. */
export async function fillPostgresBefore(
  migration: string,
  { run }: TestDatabase,
  rows: readonly string[],
): Promise<void> {
  await run('create table migration (name text primary key, applied_at timestamptz not null)');
  for (const { name, sql } of migrationsBefore('postgres', migration)) {
    await run(sql);
    await run('insert into migration values ($1, now())', [name]);
  }
  for (const sql of rows) await run(sql);
}

/** Opens the store, which upgrades it. */
export async function openUpgraded({ url }: TestDatabase): Promise<Store> {
  const { store } = await openPostgresDatabase({
    url,
    poolSize: 4,
    serializers: testForms,
    log: { error: () => undefined, warn: () => undefined },
  });
  return store;
}
