import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import type { NewReport } from '../../src/ports/report-store.ts';
import type { Store } from '../../src/ports/store.ts';
import { openDatabase } from '../../src/storage/sqlite/open.ts';
import { SqliteRunner } from '../../src/storage/sqlite/runner.ts';
import { createStore } from '../../src/storage/stores/store.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { FeedRig, later } from './contracts/feed-rig.ts';
import { checkCounters } from './contracts/statistics/feed-contract.ts';
import { audit, hex, NOW, newSample, newService, testForms } from './contracts/store-contract.ts';
import { openUpgraded } from './upgrade.ts';

const databases: TestDatabase[] = [];
after(async () => {
  for (const database of databases) await database.drop();
});

/** What a store looks like after the migration that adds confirmation and route. */
const WITHOUT_EVIDENCE = [
  "update report set confirmation = 'unknown', routed_to = null",
  'update sample_c2 set has_more = null',
  'update statistic_total set confirmed = 0, contradicted = 0, misrouted = 0',
  'update statistic_reporter set confirmed = 0, contradicted = 0',
  'delete from back_fill',
  `insert into back_fill (name, position)
    select 'report_evidence', max(number) + 1 from report having max(number) is not null`,
];

type Run = (sql: string) => unknown;

const SLICE = 5;

async function analyse(store: Store, sha256: string, hosts: readonly string[], tag = 'RAT') {
  const report = newSample({ sha256, configs: {}, tags: [{ heat: 1, name: tag }] });
  const c2s = hosts.map((host) => ({ host, port: 443, family: 'LANTERN' }));
  const more = tag === 'SETTING_DEAD_DROP' ? { hasMoreC2s: true } : {};
  const details = { evidence: [], indicators: [], facts: {}, members: [], c2s, ...more };
  await store.samples.finish({ report, details }, NOW);
}

async function checkWalk(store: Store, run: Run): Promise<void> {
  const rig = await FeedRig.in(store);
  const suffix = `${hex(6)}.example`;
  const owner = `o-${randomUUID()}`;
  await store.services.add(newService({ slug: owner, hosts: [`*.${suffix}`] }), audit);
  const feed = await rig.service();
  const c2 = { host: `a.${suffix}`, port: 443 };
  const reports: NewReport[] = [];
  for (const service of [owner, feed])
    for (let index = 0; index < 4; index += 1) reports.push(await rig.create(service, { c2 }));
  const [confirmed, contradicted, vague, plain] = reports as [NewReport, ...NewReport[]];
  await analyse(store, confirmed.sha256, [c2.host]);
  await analyse(store, contradicted?.sha256 ?? '', [`b.${suffix}`]);
  await analyse(store, vague?.sha256 ?? '', [`b.${suffix}`], 'SETTING_DEAD_DROP');
  const answered = await rig.create(feed, { c2 });
  await rig.set(answered, 'actioned');
  const expected = await Promise.all(reports.map((report) => rig.find(report)));
  for (const sql of WITHOUT_EVIDENCE) await run(sql);
  const sequences = await store.feeds.heads(undefined);
  let steps = 0;
  for (let done = 1; done > 0; steps += 1) {
    done = await store.feeds.reevaluateOld(later(1000), SLICE);
    assert.ok(done <= SLICE);
    // Reports that are created during the walk are complete already.
    if (steps === 0) reports.push(await rig.create(feed, { c2, sha256: confirmed.sha256 }));
  }
  assert.ok(steps > 2, `${steps} slices`);
  for (const [index, { confirmation, routedTo }] of expected.entries()) {
    const found = await rig.find(reports[index] as NewReport);
    assert.deepEqual([found.confirmation, found.routedTo], [confirmation, routedTo]);
  }
  assert.equal((await rig.find(confirmed)).confirmation, 'confirmed');
  assert.equal((await rig.find(contradicted as NewReport)).confirmation, 'contradicted');
  assert.equal((await rig.find(vague as NewReport)).confirmation, 'unknown');
  assert.equal((await rig.find(plain as NewReport)).routedTo, owner);
  assert.equal((await rig.find(answered)).routedTo, undefined, 'a final status keeps its route');
  const changes = await rig.changes(owner, new Map([[owner, sequences.get(owner) ?? 0]]));
  assert.deepEqual(
    changes.map(({ type, reportId }) => `${type} ${reportId}`).sort(),
    reports
      .filter(({ service }) => service === owner)
      .map(({ id }) => `updated ${id}`)
      .sort(),
  );
  await checkCounters(store);
  assert.equal(await store.feeds.reevaluateOld(later(2000), SLICE), 0);
}

describe('reports that are older than their confirmation and route', () => {
  it('get both in slices on SQLite', async () => {
    const db = openDatabase(':memory:');
    const store = createStore(new SqliteRunner(db), testForms);
    await checkWalk(store, (sql) => db.exec(sql));
    await store.close();
  });

  it('get both in slices on PostgreSQL', async () => {
    const database = await newDatabase();
    databases.push(database);
    const store = await openUpgraded(database);
    await checkWalk(store, (sql) => database.run(sql));
    await store.close();
  });

  it('read the long text of their file once for a slice', async () => {
    const db = openDatabase(':memory:');
    const store = createStore(new SqliteRunner(db), testForms);
    const rig = await FeedRig.in(store);
    const feed = await rig.service();
    const sha256 = hex(32);
    await analyse(store, sha256, ['other.example']);
    const MANY = 40;
    for (let index = 0; index < MANY; index += 1) await rig.create(feed, { sha256 });
    db.prepare('update sample set body = ?').run('x"'.repeat(2_000_000));
    const timeOf = async (limit: number) => {
      for (const sql of WITHOUT_EVIDENCE) db.exec(sql);
      const start = performance.now();
      assert.equal(await store.feeds.reevaluateOld(later(1000), limit), limit);
      return performance.now() - start;
    };
    await timeOf(1);
    const [ofOne, ofMany] = [await timeOf(1), await timeOf(MANY)];
    assert.ok(ofMany < (ofOne * MANY) / 2, `${ofMany} ms for ${MANY} reports, ${ofOne} for one`);
    await store.close();
  });

  it('need no walk in an empty store', async () => {
    const store = createStore(new SqliteRunner(openDatabase(':memory:')), testForms);
    assert.equal(await store.feeds.reevaluateOld(NOW, 10), 0);
    await store.close();
  });
});
