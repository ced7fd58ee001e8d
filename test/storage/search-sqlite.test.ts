import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { parseSearchInput } from '../../src/domain/search-query.ts';
import type { Store } from '../../src/ports/store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/open.ts';
import { SqliteRunner } from '../../src/storage/sqlite/runner.ts';
import { createStore } from '../../src/storage/stores/store.ts';
import { openMemoryDatabase, openMemoryStore } from '../empty-store.ts';
import { sampleC2Contract } from './contracts/sample-c2-contract.ts';
import { searchContract, word } from './contracts/search-contract.ts';
import {
  audit,
  hex,
  NOW,
  newAccount,
  newReport,
  newSample,
  newService,
  newToken,
  testForms,
} from './contracts/store-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-search-'));
after(() => rmSync(folder, { recursive: true }));

searchContract('in-memory sqlite', async () => openMemoryStore(testForms));
sampleC2Contract('in-memory sqlite', async () => openMemoryStore(testForms));
searchContract('sqlite', async () => openSqliteStore(join(folder, 'search.db'), testForms));

/** A feed with a report for each host, and the account that made them. */
async function fill(store: Store, hosts: readonly string[], tag: string): Promise<void> {
  const service = newService();
  await store.services.add(service, audit);
  const reporter = newAccount({ name: `${tag}-account` });
  await store.accounts.add(reporter, newToken(), audit);
  for (const host of hosts) {
    const members = { tags: [tag], c2: { host, port: 1 }, reference: '' };
    await store.reports.create(newReport(service.slug, reporter, members));
  }
}

async function count(store: Store, text: string, limit = 25): Promise<number> {
  const input = parseSearchInput(text) ?? assert.fail(`${text} cannot be searched for`);
  return (await store.search.search({ input, limit })).hits.length;
}

describe('sqlite search', () => {
  it('indexes older reports and samples in slices, and continues after an interruption', async () => {
    const file = join(folder, 'older.db');
    const tag = word();
    const first = openSqliteStore(file, testForms);
    const names = [1, 2, 3].map((number) => `${number}.${tag}.example`);
    await fill(first, names, tag);
    const samples = names.map((fileName) => newSample({ fileName, configs: {} }));
    await first.samples.putAll(samples, NOW);
    assert.equal(await first.search.backfill(2), 0, 'there is nothing old in a new store');
    await first.close();
    const db = new DatabaseSync(file);
    db.exec(`
      delete from search_host;
      delete from search_term;
      insert into term_text (term_text) values ('delete-all');
      insert into sample_text (sample_text) values ('delete-all');
      insert into back_fill values ('search_report', 0), ('search_sample', -1);
    `);
    db.close();

    const second = openSqliteStore(file, testForms);
    assert.equal(await count(second, tag), 0);
    assert.equal(await second.search.backfill(2), 4);
    await second.close();
    const third = openSqliteStore(file, testForms);
    // A sample that is stored again before the back-fill reaches it is not found twice.
    await third.samples.putAll([{ ...(samples[0] ?? newSample()), sizeBytes: 2 }], NOW);
    const looked = [];
    for (let round = 0; round < 3; round += 1) looked.push(await third.search.backfill(2));
    assert.deepEqual(looked, [2, 0, 0]);
    assert.equal(await count(third, tag), 6);
    for (const sample of samples) assert.equal(await count(third, sample.md5), 1);
    for (const host of names) assert.equal(await count(third, `${host}:1`), 1);
    await third.close();
  });

  it('deletes names, tags and hosts that no report has', async () => {
    const db = openMemoryDatabase();
    const store = createStore(new SqliteRunner(db), testForms);
    const tag = word();
    await fill(store, [`${tag}.example`, 'other.example'], tag);
    const left = () =>
      ['search_host', 'search_term', 'term_text_docsize'].map(
        (table) => db.prepare(`select count(*) as rows from ${table}`).get()?.['rows'],
      );
    assert.deepEqual(left(), [2, 1, 1]);
    const ids = db.prepare('select id from report').all() as { id: string }[];
    const expected = [
      [1, 1, 1],
      [0, 0, 0],
    ];
    for (const [index, { id }] of ids.entries()) {
      await store.reports.purge({ id, by: 'x', at: NOW, reason: '' }, audit);
      assert.deepEqual(left(), expected[index]);
    }
    await store.close();
  });

  it('reads the newest of everything in the order of an index, and sorts nothing', async () => {
    const db = openMemoryDatabase();
    const asked = new Set<string>();
    const prepare = db.prepare.bind(db);
    const store = createStore(new SqliteRunner(db), testForms);
    await fill(store, ['a.example', 'b.a.example'], 'lantern');
    await store.samples.putAll([newSample({ fileName: 'lantern.exe' })], NOW);
    db.prepare = (sql: string) => {
      asked.add(sql);
      return prepare(sql);
    };
    const texts = ['lantern', 'LANT', 'lantern-account', 'a.example', 'a.example:1', '.example'];
    for (const text of [...texts, hex(16), hex(20), hex(32), hex(64)]) await count(store, text);
    const plans = [...asked].map((sql) => ({ sql, plan: planOf(prepare, sql) }));
    assert.ok(plans.length > 15);
    for (const { sql, plan } of plans) assert.doesNotMatch(plan, /TEMP B-TREE/, sql);
    const scans = plans.filter(({ plan }) => /SCAN (?!.*VIRTUAL TABLE)/.test(plan));
    assert.deepEqual(
      scans.map(({ plan }) => plan.replace(/ USING.*/, '')),
      // The feeds, of which there are few, and the newest reports of all, of which few are read.
      ['SCAN service', 'SCAN report'],
    );
    await store.close();
  });
});

function planOf(prepare: DatabaseSync['prepare'], sql: string): string {
  const parameters = Array(sql.split('?').length - 1).fill('x');
  const steps = prepare(`explain query plan ${sql}`).all(...parameters) as { detail: string }[];
  return steps.map(({ detail }) => detail).join('; ');
}
