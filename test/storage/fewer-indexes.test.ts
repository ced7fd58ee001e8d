import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import type { Store } from '../../src/ports/store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/open.ts';
import type { Dialect } from '../../src/storage/units/query.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { testForms } from './contracts/store-contract.ts';
import { fillStatements, idOf } from './plans/large-store.ts';
import { fillPostgresBefore, fillSqliteBefore, openUpgraded } from './upgrade.ts';

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

const rowsBefore = (dialect: Dialect): readonly string[] => [
  ...fillStatements(dialect, FREQUENT + RARE, ['last_added', 'added_at', 'name_key']).filter(
    (sql) => /insert into (?:service|account|report) /.test(sql),
  ),
  `update report set host = 'rare.example', port = number where number > ${FREQUENT}`,
];

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
    fillSqliteBefore(THIS, file, rowsBefore('sqlite'));
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
    await fillPostgresBefore(THIS, database, rowsBefore('postgres'));
    const store = await openUpgraded(database);
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
