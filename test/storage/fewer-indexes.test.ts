import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import type { Store } from '../../src/ports/store.ts';
import { openPostgresDatabase } from '../../src/server/open-postgres-database.ts';
import { readMigrations } from '../../src/storage/migrate.ts';
import { openSqliteStore } from '../../src/storage/sqlite/open.ts';
import type { Dialect } from '../../src/storage/unit-of-work.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { testForms } from './contracts/store-contract.ts';
import { fillStatements, idOf } from './plans/large-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-indexes-'));
const databases: TestDatabase[] = [];
after(async () => {
  rmSync(folder, { recursive: true });
  for (const database of databases) await database.drop();
});

const THIS = '0021';
const FREQUENT = 150;
const RARE = 100;
/** A fifth of the reports of the large store have expired. */
const UNEXPIRED = 0.8;

const before = (dialect: Dialect) => readMigrations(dialect).filter(({ name }) => name < THIS);

const rowsBefore = (dialect: Dialect): readonly string[] => [
  ...fillStatements(dialect, FREQUENT + RARE).filter((sql) =>
    /insert into (?:service|account|report) /.test(sql),
  ),
  `update report set host = 'rare.example', port = number where number > ${FREQUENT}`,
];

function fillSqlite(file: string): void {
  const db = new DatabaseSync(file);
  db.exec('create table migration (name text primary key, applied_at text not null) strict');
  for (const { name, sql } of before('sqlite')) {
    db.exec(sql);
    db.prepare('insert into migration values (?, ?)').run(name, new Date(0).toISOString());
  }
  for (const sql of rowsBefore('sqlite')) db.exec(sql);
  db.close();
}

async function fillPostgres({ run }: TestDatabase): Promise<void> {
  await run('create table migration (name text primary key, applied_at timestamptz not null)');
  for (const { name, sql } of before('postgres')) {
    await run(sql);
    await run('insert into migration values ($1, now())', [name]);
  }
  for (const sql of rowsBefore('postgres')) await run(sql);
}

async function checkUpgraded(store: Store): Promise<void> {
  const scope = idOf('service', 1);
  const numbersOf = async (host: string, order: 'asc' | 'desc') => {
    const query = { scope, filter: { host }, order, after: undefined, limit: 1000 };
    return (await store.feeds.listNumbers(query)).numbers;
  };
  for (const [host, count] of [
    ['evil.example', FREQUENT],
    ['rare.example', RARE],
  ] as const) {
    const numbers = await numbersOf(host, 'asc');
    assert.equal(numbers.length, count * UNEXPIRED);
    assert.deepEqual(
      numbers,
      numbers.toSorted((one, other) => one - other),
    );
    assert.deepEqual(await numbersOf(host, 'desc'), numbers.toReversed());
  }
  const check = store.examination.checks.find(({ name }) => name === 'hosts of reports');
  for await (const { wrong } of check?.run() ?? assert.fail()) assert.deepEqual(wrong, []);
}

const LISTED = 'select host, count(*) as reports from host_report group by host';
const GONE = ['report_confidence', 'report_host', 'report_host_expired', 'report_port'];

describe('reports stored before the indexes of port, confidence and host were dropped', () => {
  it('are listed by their host on SQLite', async () => {
    const file = join(folder, 'old.db');
    fillSqlite(file);
    const store = openSqliteStore(file, testForms);
    await checkUpgraded(store);
    await store.close();
    const db = new DatabaseSync(file);
    const listed = db.prepare(LISTED).all();
    assert.deepEqual({ ...listed[0] }, { host: 'evil.example', reports: FREQUENT });
    assert.equal(listed.length, 1);
    const indexes = db.prepare("select name from sqlite_schema where type = 'index'").all();
    assert.deepEqual(
      indexes.filter(({ name }) => [...GONE, 'report_sha256'].includes(String(name))),
      [],
    );
    db.close();
  });

  it('are listed by their host on PostgreSQL', async () => {
    const database = await newDatabase();
    databases.push(database);
    await fillPostgres(database);
    const { store } = await openPostgresDatabase({
      url: database.url,
      poolSize: 4,
      serializers: testForms,
      log: { error: () => undefined, warn: () => undefined },
    });
    await checkUpgraded(store);
    await store.close();
    assert.deepEqual(await database.run(LISTED), [
      { host: 'evil.example', reports: String(FREQUENT) },
    ]);
    const indexes = await database.run(
      "select indexname from pg_indexes where tablename = 'report'",
    );
    assert.deepEqual(
      indexes.filter(({ indexname }) => GONE.includes(String(indexname))),
      [],
    );
  });
});
