import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import type { AnalysisReport } from '../../src/domain/samples/analysis-report.ts';
import { parseFileHash } from '../../src/domain/samples/file-hash.ts';
import { examineStore } from '../../src/operations/examine-store.ts';
import type { Store } from '../../src/ports/store.ts';
import { openPostgresDatabase } from '../../src/server/open-postgres-database.ts';
import { readMigrations } from '../../src/storage/migrate.ts';
import { openSqliteStore } from '../../src/storage/sqlite/open.ts';
import { rowIdRange } from '../../src/storage/tables/samples/sample-rows.ts';
import type { Dialect } from '../../src/storage/units/query.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { NOW, newSample, testForms } from './contracts/store-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-numbers-'));
const databases: TestDatabase[] = [];
after(async () => {
  rmSync(folder, { recursive: true });
  for (const database of databases) await database.drop();
});

const THIS = '0022';
const AT = NOW.toISOString();
const SSDEEP = '96:abcdefghijklmnopqrstuvwxyz:ABCDEFGHIJKLM';
/** The second is older, by the id of its fuzzy hash; the third has none yet. */
const [newer, older, unindexed, later] = ['newer', 'older', 'unindexed', 'later'].map((name) =>
  newSample({ fileName: `${name}.exe`, ssdeep: SSDEEP }),
) as [AnalysisReport, AnalysisReport, AnalysisReport, AnalysisReport];

const before = (dialect: Dialect) => readMigrations(dialect).filter(({ name }) => name < THIS);

function rowsBefore(bytes: (hex: string) => string): readonly string[] {
  const idOf = (hex: string) => rowIdRange(hex).from;
  const indexed = (number: number, { sha256, fileName }: AnalysisReport) => [
    `insert into fuzzy_hash values (${number}, ${idOf(sha256)}, '${SSDEEP}', '${fileName}', '[]', 1)`,
    `insert into sample_text (rowid, words) values (${number}, '${fileName.replace('.', ' ')}')`,
    `insert into sample_detail values (${idOf(sha256)}, '"${fileName}"')`,
    `insert into sample_c2 (reversed, port, sample_id, leads) values ('example.evil', 443, ${idOf(sha256)}, 1)`,
  ];
  return [
    `insert into account (id, name, roles, quota_period, created_at) values ('a', 'alice', '[]', 'none', '${AT}')`,
    ...[newer, older, unindexed].flatMap((analysis) => {
      const ids = [analysis.sha256, analysis.blake3, analysis.sha512].map(idOf);
      return [
        `insert into sample values (${ids[0]}, ${bytes(analysis.sha256)}, 1, ${ids.join()}, 'LANTERN', '${AT}', '${testForms.analysis(analysis)}')`,
        `insert into sample (id, value, kind, sample_id) values (${ids[1]}, ${bytes(analysis.blake3)}, 2, ${ids[0]})`,
        `insert into sample (id, value, kind, sample_id) values (${ids[2]}, ${bytes(analysis.sha512)}, 3, ${ids[0]})`,
      ];
    }),
    ...indexed(9, newer),
    ...indexed(4, older),
    `insert into back_fill values ('fuzzy_hash', ${idOf(unindexed.sha256) - 1})`,
    `insert into back_fill values ('search_sample', ${idOf(older.sha256)})`,
  ];
}

function fillSqlite(file: string): void {
  const db = new DatabaseSync(file);
  db.exec('create table migration (name text primary key, applied_at text not null) strict');
  for (const { name, sql } of before('sqlite')) {
    db.exec(sql);
    db.prepare('insert into migration values (?, ?)').run(name, AT);
  }
  for (const sql of rowsBefore((text) => `x'${text}'`)) db.exec(sql);
  db.close();
}

async function fillPostgres({ run }: TestDatabase): Promise<void> {
  await run('create table migration (name text primary key, applied_at timestamptz not null)');
  for (const { name, sql } of before('postgres')) {
    await run(sql);
    await run('insert into migration values ($1, now())', [name]);
  }
  for (const sql of rowsBefore((text) => `'\\x${text}'`)) await run(sql);
}

async function checkUpgraded(store: Store): Promise<void> {
  const hashOf = (text: string) => parseFileHash(text) ?? assert.fail();
  await store.samples.putAll([later], NOW);
  while ((await store.samples.indexSimilar(10)) > 0);
  while ((await store.search.backfill(10)) > 0);
  for (const analysis of [newer, older, unindexed, later])
    for (const text of [analysis.sha256, analysis.blake3, analysis.sha512]) {
      const { body } = await store.samples.lookUp({ accountId: 'a', hash: hashOf(text), now: NOW });
      assert.equal(body, testForms.analysis(analysis));
    }
  assert.equal(await store.samples.details(hashOf(older.sha512)), '"older.exe"');
  const similar = { accountId: 'a', to: hashOf(newer.sha256), limit: 50, now: NOW };
  assert.deepEqual(
    (await store.samples.similar(similar)).found?.map(({ fileName }) => fileName),
    ['later.exe', 'unindexed.exe', 'older.exe'],
  );
  const files = { has: async () => true, read: async () => undefined };
  const results = await Array.fromAsync(examineStore({ store, files }, { quick: true }));
  assert.deepEqual(
    results.flatMap(({ wrong }) => wrong),
    [],
  );
}

const NUMBERS = 'select id from sample order by id';

describe('analyses stored before they were numbered', () => {
  it('keep the order of their fuzzy hashes on SQLite, and their references', async () => {
    const file = join(folder, 'old.db');
    fillSqlite(file);
    const store = openSqliteStore(file, testForms);
    await checkUpgraded(store);
    await store.close();
    const db = new DatabaseSync(file);
    assert.deepEqual(
      db
        .prepare(NUMBERS)
        .all()
        .map(({ id }) => id),
      [4, 9, 10, 11],
    );
    db.close();
  });

  it('keep the order of their fuzzy hashes on PostgreSQL, and their references', async () => {
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
    assert.deepEqual(
      (await database.run(NUMBERS)).map(({ id }) => Number(id)),
      [4, 9, 10, 11],
    );
  });
});
