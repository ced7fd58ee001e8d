import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Store } from '../../src/ports/store.ts';
import { SqliteRunner } from '../../src/storage/sqlite/runner.ts';
import { createStore } from '../../src/storage/stores/store.ts';
import { openMemoryDatabase } from '../empty-store.ts';
import { testForms } from './contracts/store-contract.ts';
import { fillStatements, idOf } from './plans/large-store.ts';

/** A fifth of them have expired, and a fifth was acted on. */
const REPORTS = 15_000;

describe('counting the reports of a large feed', () => {
  const service = idOf('service', 1);
  let store: Store;

  before(() => {
    const db = openMemoryDatabase();
    for (const sql of fillStatements('sqlite', REPORTS))
      if (/insert into (?:service|account|report) /.test(sql)) db.exec(sql);
    store = createStore(new SqliteRunner(db), testForms);
  });
  after(() => store.close());

  it('ends at 10,000, and says that there may be more', async () => {
    const many = { total: 10_000, isLowerBound: true };
    assert.deepEqual(await store.feeds.count(service, {}), many);
    assert.deepEqual(await store.feeds.count(undefined, {}), many);
    assert.deepEqual(await store.feeds.count(service, { host: 'evil.example' }), many);
  });

  it('is exact below that', async () => {
    const counted = await store.feeds.count(service, { status: 'actioned' });
    assert.deepEqual(counted, { total: REPORTS / 5, isLowerBound: false });
    const none = await store.feeds.count(service, { port: 443, minConfidence: 51 });
    assert.deepEqual(none, { total: 0, isLowerBound: false });
  });

  it('examines at most 20,000 reports', async () => {
    const db = openMemoryDatabase();
    for (const sql of fillStatements('sqlite', 21_000))
      if (/insert into (?:service|account|report) /.test(sql)) db.exec(sql);
    const large = createStore(new SqliteRunner(db), testForms);
    const none = await large.feeds.count(undefined, { port: 443, minConfidence: 51 });
    assert.deepEqual(none, { total: 0, isLowerBound: true });
    await large.close();
  });

  it('yields to the event loop every few thousand reports', async () => {
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await store.feeds.count(service, { port: 443, minConfidence: 51 });
    isOver = true;
    assert.ok(turns >= 5, `${turns} turns`);
  });
});
