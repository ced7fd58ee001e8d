import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import type { ClaimKey } from '../../src/ports/ownership-store.ts';
import type { Store } from '../../src/ports/store.ts';
import { openPostgresDatabase } from '../../src/server/open-postgres-database.ts';
import { readMigrations } from '../../src/storage/migrate.ts';
import { openSqliteStore } from '../../src/storage/sqlite/open.ts';
import type { Dialect } from '../../src/storage/units/query.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { audit, NOW, testForms } from './contracts/store-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-services-'));
const databases: TestDatabase[] = [];
after(async () => {
  rmSync(folder, { recursive: true });
  for (const database of databases) await database.drop();
});

/** The index was added, and later its keys were changed. */
const VERSIONS = ['0025', '0033'];
/** More than are indexed in one transaction. */
const SERVICES = 45;

const before = (dialect: Dialect, version: string) =>
  readMigrations(dialect).filter(({ name }) => name < version);

const services = Array.from(
  { length: SERVICES },
  (_, number) => `
    insert into service (slug, name, confidence_scale, hosts, networks, created_at)
    values ('s${number}', 's', 100, '["*.s${number}.example"${number === 44 ? ', "192.0.2.44"' : ''}]', '["10.${number}.0.0/16"]', '2026-01-01T00:00:00.000Z')`,
);

const oldKeys = Array.from(
  { length: SERVICES },
  (_, number) => `
    insert into service_pattern (key, slug, pattern)
    values ('4/16/0a${number.toString(16).padStart(2, '0')}', 's${number}', '10.${number}.0.0/16')`,
);

const rowsBefore = (version: string) => (version === '0025' ? services : [...services, ...oldKeys]);

async function prove(store: Store, key: ClaimKey): Promise<void> {
  await store.ownership.begin({ ...key, method: 'http', now: NOW, intervalMs: 1 });
  const check = { method: 'http', problem: undefined, at: NOW, chance: 0 } as const;
  await store.ownership.record({ ...key, check, isRequested: true }, audit);
}

/** Patterns are there for the first question, and for the examination before it. */
async function checkUpgraded(store: Store): Promise<void> {
  const check = store.examination.checks.find(
    ({ name }) => name === 'hosts and networks of services',
  );
  const examine = async () => {
    for await (const { wrong } of check?.run() ?? assert.fail()) assert.deepEqual(wrong, []);
  };
  await examine();
  await prove(store, { service: 's44', suffix: '192.0.2.44' });
  assert.deepEqual(await store.services.route('192.0.2.44'), {
    service: 's44',
    pattern: '192.0.2.44',
    verified: true,
  });
  assert.deepEqual(await store.services.route('a.s44.example'), {
    service: 's44',
    pattern: '*.s44.example',
    verified: false,
  });
  assert.equal((await store.services.route('10.7.1.2'))?.service, 's7');
  assert.equal(await store.services.indexPatterns(100), 0);
  await examine();
}

for (const version of VERSIONS) {
  describe(`services stored before ${version}, the index of their hosts and networks`, () => {
    it('are found by the first question on SQLite', async () => {
      const file = join(folder, `${version}.db`);
      const db = new DatabaseSync(file);
      db.exec('create table migration (name text primary key, applied_at text not null) strict');
      for (const { name, sql } of before('sqlite', version)) {
        db.exec(sql);
        db.prepare('insert into migration values (?, ?)').run(name, new Date(0).toISOString());
      }
      for (const sql of rowsBefore(version)) db.exec(sql);
      db.close();
      const store = openSqliteStore(file, testForms);
      await checkUpgraded(store);
      await store.close();
    });

    it('are found by the first question on PostgreSQL', async () => {
      const database = await newDatabase();
      databases.push(database);
      const { run } = database;
      await run('create table migration (name text primary key, applied_at timestamptz not null)');
      for (const { name, sql } of before('postgres', version)) {
        await run(sql);
        await run('insert into migration values ($1, now())', [name]);
      }
      for (const sql of rowsBefore(version)) await run(sql);
      const { store } = await openPostgresDatabase({
        url: database.url,
        poolSize: 4,
        serializers: testForms,
        log: { error: () => undefined, warn: () => undefined },
      });
      await checkUpgraded(store);
      await store.close();
    });
  });
}
