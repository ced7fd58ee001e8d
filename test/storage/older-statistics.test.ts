import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { recountStatistics } from '../../src/operations/trust/recount.ts';
import type { Store } from '../../src/ports/store.ts';
import { openDatabase } from '../../src/storage/sqlite/open.ts';
import { SqliteRunner } from '../../src/storage/sqlite/runner.ts';
import { createStore } from '../../src/storage/stores/store.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { FeedRig } from './contracts/feed-rig.ts';
import { checkCounters, RandomChanges, recount } from './contracts/statistics/feed-contract.ts';
import { checkTrust } from './contracts/statistics/trust-recount.ts';
import { testForms } from './contracts/store-contract.ts';
import { openUpgraded } from './upgrade.ts';

const databases: TestDatabase[] = [];
after(async () => {
  for (const database of databases) await database.drop();
});

/** What a store looks like after the migration that adds the counters. */
const WITHOUT_COUNTERS = [
  'delete from statistic_total',
  'delete from statistic_day',
  'delete from statistic_family',
  'delete from statistic_reporter',
  `update report set acted_at = null, acted_bucket = null,
    acknowledged_at = null, acknowledged_bucket = null`,
  `insert into back_fill (name, position)
    select 'statistics', max(number) + 1 from report having max(number) is not null`,
];

/** Counters that a defect left. */
const WRONG_COUNTERS = [
  'update statistic_reporter set actioned = actioned + 7',
  'update statistic_total set confirmed = 3',
  'delete from statistic_day',
];

type Run = (sql: string) => unknown;

/** Counts old reports in small slices, while they and new ones change. */
async function checkBackFill(store: Store, run: Run): Promise<void> {
  const rig = await FeedRig.in(store);
  const feeds = await Promise.all(Array.from({ length: 3 }, () => rig.service(2)));
  const changes = await RandomChanges.in(rig, feeds, 7);
  await changes.run(40);
  for (const sql of WITHOUT_COUNTERS) await run(sql);
  await checkCounters(store);
  assert.equal((await store.feeds.statistics(undefined, '2026-01-01')).isComplete, false);
  assert.equal(await store.feeds.openReports(feeds), undefined);
  let counted = 0;
  for (;;) {
    const [slice] = await Promise.all([store.feeds.fillStatistics(7), changes.run(1)]);
    await checkCounters(store);
    if (slice === 0) break;
    assert.ok(slice <= 7);
    counted += slice;
  }
  assert.ok(counted > 30, `${counted} reports were counted`);
  await checkTrust(rig, feeds, changes.reporters);
  for (const feed of feeds) {
    const counts = await store.feeds.statistics(feed, '2026-01-01');
    const { statuses, families, timeToAct } = await recount(rig, feed);
    assert.equal(counts.isComplete, true);
    assert.deepEqual(await store.feeds.openReports([feed]), [statuses.open]);
    assert.deepEqual(
      { statuses: counts.statuses, families: counts.families, timeToAct: counts.timeToAct },
      { statuses, families, timeToAct },
    );
  }
}

/** Counts all reports again, while they and new ones change. */
async function checkRecount(store: Store, run: Run): Promise<void> {
  const rig = await FeedRig.in(store);
  const feeds = await Promise.all(Array.from({ length: 3 }, () => rig.service(2)));
  const changes = await RandomChanges.in(rig, feeds, 8);
  await changes.run(30);
  for (const sql of WRONG_COUNTERS) await run(sql);
  await assert.rejects(checkCounters(store));
  const shares: number[] = [];
  const [counted] = await Promise.all([
    recountStatistics({ store }, ({ share }) => shares.push(share)),
    changes.run(5),
  ]);
  assert.ok(counted > 20, `${counted} reports were counted`);
  assert.equal(shares.at(-1), 1);
  await checkCounters(store);
  await checkTrust(rig, feeds, changes.reporters);
}

describe('reports that are older than the statistics', () => {
  it('are counted while they change, and again, on SQLite', async () => {
    const db = openDatabase(':memory:');
    const store = createStore(new SqliteRunner(db), testForms);
    await checkBackFill(store, (sql) => db.exec(sql));
    await checkRecount(store, (sql) => db.exec(sql));
    await store.close();
  });

  it('are counted while they change, and again, on PostgreSQL', async () => {
    const database = await newDatabase();
    databases.push(database);
    const store = await openUpgraded(database);
    await checkBackFill(store, (sql) => database.run(sql));
    await checkRecount(store, (sql) => database.run(sql));
    await store.close();
  });

  it('need not be counted in an empty store', async () => {
    const store = createStore(new SqliteRunner(openDatabase(':memory:')), testForms);
    assert.equal(await store.feeds.fillStatistics(10), 0);
    await store.close();
  });
});
