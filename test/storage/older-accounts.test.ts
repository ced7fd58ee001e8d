import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Store } from '../../src/ports/store.ts';
import { openDatabase } from '../../src/storage/sqlite/open.ts';
import { SqliteRunner } from '../../src/storage/sqlite/runner.ts';
import { createStore } from '../../src/storage/stores/store.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { FeedRig } from './contracts/feed-rig.ts';
import { audit, newAccount, newToken, testForms } from './contracts/store-contract.ts';
import { openUpgraded } from './upgrade.ts';

const databases: TestDatabase[] = [];
after(async () => {
  for (const database of databases) await database.drop();
});

type Run = (sql: string) => unknown;

/** Accounts, tokens and statuses as an older version has written them. */
async function check(store: Store, run: Run): Promise<void> {
  const add = (name: string) => store.accounts.add(newAccount({ name }), newToken(), audit);
  for (const name of ['Ply', 'zed']) assert.ok('id' in Object(await add(name)));
  await run(
    "insert into account (id, name, roles, quota_period, created_at) select 'old-1', 'PLY', roles, quota_period, created_at from account where name = 'zed'",
  );
  await run('update account set name_key = null');
  await run('update token set issued_via = null, issuer_account_id = null');
  assert.equal(await store.accounts.keyNames(2), 2);
  assert.equal(await store.accounts.keyNames(2), 1);
  assert.equal(await store.accounts.keyNames(2), 0);
  for (const name of ['ply', 'ZED']) assert.ok('takenBy' in Object(await add(name)), name);
  assert.ok('id' in Object(await add('new')));
  const zed = await store.accounts.find('zed', audit.at);
  const [token] = await store.tokens.list(zed?.id ?? '', { after: undefined, limit: 1 });
  assert.equal(token?.origin, 'unknown');
  await checkJudgements(store, run);
}

/** Who judged is known by the names, and the present owners of the feed. */
async function checkJudgements(store: Store, run: Run): Promise<void> {
  const rig = await FeedRig.in(store);
  const feed = await rig.service();
  const [owner, researcher] = [await rig.account(feed), await rig.account()];
  const judged = async ({ id, name }: typeof owner) => {
    const report = await rig.create(feed, { reporterId: id, reportedBy: name });
    await rig.set(report, 'actioned', audit.at, owner);
    return report;
  };
  await judged(owner);
  await judged(researcher);
  const deleted = await judged(researcher);
  await run('update report set judgement = null, acted_at = reported_at, acted_bucket = 0');
  await run('update status_change set is_self = null');
  await store.trust.restartCounting();
  await rig.delete(deleted);
  while ((await store.feeds.fillStatistics(1)) > 0);
  const rightOf = async (name: string) =>
    (await store.trust.reporter(name))?.services.map(({ judged_right }) => judged_right);
  assert.deepEqual([await rightOf(owner.name), await rightOf(researcher.name)], [[0], [2]]);
  const { timeToAct } = await store.trust.service(feed, '2026-01-01');
  assert.equal(
    timeToAct.reduce((sum, count) => sum + count),
    1,
  );
}

describe('accounts, tokens and judgements that are older than their columns', () => {
  it('are told apart, on SQLite', async () => {
    const db = openDatabase(':memory:');
    const store = createStore(new SqliteRunner(db), testForms);
    await check(store, (sql) => db.exec(sql));
    await store.close();
  });

  it('are told apart, on PostgreSQL', async () => {
    const database = await newDatabase();
    databases.push(database);
    const store = await openUpgraded(database);
    await check(store, (sql) => database.run(sql));
    await store.close();
  });
});
