import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import type { Store } from '../../src/ports/store.ts';
import type { Webhook } from '../../src/ports/webhook-store.ts';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { openPools } from '../../src/storage/postgres/pools.ts';
import { PostgresRunner } from '../../src/storage/postgres/runner.ts';
import { Statements } from '../../src/storage/postgres/statements.ts';
import { writeAudit } from '../../src/storage/sql/accounts/audit.ts';
import { newestWithWord, newestWithWords } from '../../src/storage/sql/search/search-text.ts';
import type { QueryStep, UnitOfWork } from '../../src/storage/unit-of-work.ts';
import { newDatabase, startPostgres, type TestDatabase } from '../postgres.ts';
import { until } from '../until.ts';
import { audit, NOW, newAccount, newSample, newToken } from './contracts/store-contract.ts';
import { addFeed, addReader, hold, Nodes } from './postgres-nodes.ts';

/** Keeps the server of this file alive between two tests. */
let keeper: TestDatabase;
before(async () => {
  keeper = await newDatabase();
});
after(() => keeper.drop());

let nodes: Nodes;
beforeEach(async () => {
  nodes = await Nodes.open();
});
afterEach(() => nodes.close());

async function newWebhook(store: Store, service: string): Promise<Webhook> {
  const account = newAccount({ services: [service] });
  await store.accounts.add(account, newToken(), audit);
  return {
    id: randomUUID(),
    service,
    url: 'https://desk.example/hook',
    events: ['report.created'],
    format: 'standard',
    createdBy: 'contract',
    createdAt: NOW,
    owner: {
      accountId: account.id,
      name: account.name,
      disabled: false,
      expiresAt: undefined,
      ownsFeed: true,
    },
    disabledAt: undefined,
    disabledReason: undefined,
    failingSince: undefined,
  };
}

async function addWebhook(store: Store, service: string): Promise<Webhook> {
  const webhook = await newWebhook(store, service);
  assert.equal(await store.webhooks.add(webhook, randomBytes(60), audit), 'added');
  return webhook;
}

/** Lets both begin, in this order, while somebody else holds what they need; then lets them go on. */
async function meet(held: string, calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  const holder = new pg.Client({ connectionString: nodes.database.url });
  const letGo = await hold(holder, held);
  const begun: Promise<unknown>[] = [];
  for (const call of calls) {
    begun.push(call());
    await nodes.untilWaiting(begun.length);
  }
  await letGo();
  await Promise.all(begun);
}

describe('two nodes on PostgreSQL at the same moment', () => {
  it('that add a webhook and give up another of the feed leave the new one in use', async () => {
    const [one, other] = [await nodes.add(), await nodes.add()];
    const feed = await addFeed(one);
    const [broken, added] = [await addWebhook(one, feed), await newWebhook(one, feed)];
    await one.webhooks.test({ service: feed, id: broken.id }, randomUUID(), NOW);
    const wish = { limit: 1, perWebhook: 1, leaseMs: 60_000, now: NOW };
    const [claimed = assert.fail()] = await other.webhooks.claim(wish);
    const failed = { status: 410, error: 'gone', pauseUntil: NOW, at: NOW };
    await meet(`select 1 from service where slug = '${feed}' for update`, [
      () => one.webhooks.add(added, randomBytes(60), audit),
      () => other.webhooks.settle(claimed, { kind: 'dead', disable: 'gone', ...failed }),
    ]);
    const counted = await nodes.database.run('select webhook_count from service');
    assert.deepEqual(counted, [{ webhook_count: '1' }]);
    await one.reports.create({
      id: randomUUID(),
      service: feed,
      tags: [],
      c2: { host: 'evil.example', port: 443 },
      sha256: randomBytes(32).toString('hex'),
      reference: '',
      confidence: 50,
      reporterId: await addReader(one, 1),
      reportedBy: 'somebody',
      reportedAt: NOW,
      retry: undefined,
    });
    const page = { limit: 10, before: undefined, state: undefined };
    const told = await one.webhooks.deliveries({ service: feed, id: added.id }, page);
    assert.equal(told.length, 1);
  });

  it('whose clocks differ keep the leases of each other’s deliveries', async () => {
    const [one, other] = [await nodes.add(), await nodes.add()];
    const feed = await addFeed(one);
    const { id } = await addWebhook(one, feed);
    await one.webhooks.test({ service: feed, id }, randomUUID(), NOW);
    const claim = { limit: 1, perWebhook: 1, leaseMs: 60_000, now: NOW };
    const ahead = { ...claim, now: new Date(NOW.getTime() + 3_600_000) };
    const claimed = await one.webhooks.claim(claim);
    assert.equal(claimed.length, 1);
    assert.deepEqual(await other.webhooks.claim(ahead), []);
    assert.equal(await one.webhooks.renew(claimed, { ...claim, leaseMs: 0 }), 1);
    assert.equal(
      (await other.webhooks.claim(claim)).length,
      1,
      'it is over for a clock behind, too',
    );
    assert.equal(await one.webhooks.renew(claimed, claim), 0, 'the lease was lost');
  });

  it('that index a file and purge it leave nothing of it in the index', async () => {
    const [one, other] = [await nodes.add(), await nodes.add()];
    const ssdeep = '96:aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5z:aB3dE5fG7hI9jK1';
    // So many at once are indexed later.
    const reports = Array.from({ length: 11 }, () => newSample({ ssdeep }));
    await one.samples.putAll(reports, NOW);
    const [first = assert.fail()] = reports;
    await meet('lock table gram in share mode', [
      () => one.samples.indexSimilar(100),
      () => other.samples.purge(first.sha256, 'asked for', audit),
    ]);
    const lost = 'select from gram where fuzzy_hash_id not in (select id from fuzzy_hash)';
    assert.equal((await nodes.database.run(lost)).length, 0);
    assert.notEqual((await nodes.database.run('select from gram')).length, 0);
  });

  /** A webhook with a delivery that came to nothing, long ago. */
  async function withDeadDelivery(store: Store) {
    const feed = await addFeed(store);
    const { id } = await addWebhook(store, feed);
    const [place, deliveryId] = [{ service: feed, id }, randomUUID()];
    await store.webhooks.test(place, deliveryId, NOW);
    return { place, deliveryId };
  }

  const later = (days: number) => new Date(NOW.getTime() + days * 86_400_000);
  const forget = {
    now: later(100),
    deliveredBefore: later(100),
    deadBefore: later(100),
    limit: 10,
  };
  const all = { limit: 10, before: undefined, state: undefined };
  const HELD = 'select 1 from delivery for update';

  it('that replay a delivery and forget old ones keep the one that is replayed', async () => {
    const [one, other] = [await nodes.add(), await nodes.add()];
    const { place, deliveryId } = await withDeadDelivery(one);
    await nodes.database.run("update delivery set state = 'dead', finished_at = $1", [NOW]);
    await meet(HELD, [
      () => one.webhooks.replay(place, deliveryId, NOW),
      () => other.webhooks.forgetDeliveries(forget),
    ]);
    const kept = await one.webhooks.deliveries(place, all);
    assert.deepEqual(kept === 'absent' ? kept : kept.map(({ id, state }) => [id, state]), [
      [deliveryId, 'waiting'],
    ]);
  });

  it('that forget what waits for a webhook and enable it do so one after the other', async () => {
    const [one, other] = [await nodes.add(), await nodes.add()];
    const { place } = await withDeadDelivery(one);
    await nodes.database.run('update webhook set disabled_at = $1', [NOW]);
    await meet(HELD, [
      () => other.webhooks.forgetDeliveries(forget),
      () => one.webhooks.enable(place, audit),
    ]);
    assert.deepEqual(await one.webhooks.deliveries(place, all), []);
  });
});

/** With settings of its own for its connections, once there is a store. */
async function openRunner(url: string, settings: string): Promise<PostgresRunner> {
  const { connection, pools } = await openPostgres(url, 10);
  await pools.end();
  const options = `${connection.options} ${settings}`;
  return new PostgresRunner({
    pools: openPools({ ...connection, options }, 10),
    connection,
    runJobStep: () => Promise.resolve(),
  });
}

describe('a transaction on PostgreSQL', () => {
  it('on a server that only reads is refused, and the caller may try again', async () => {
    const runner = await openRunner(nodes.database.url, '-c default_transaction_read_only=on');
    nodes.closeLater(() => runner.close());
    await assert.rejects(
      runner.write(() => writeAudit(audit, 'is', 'read only')),
      { code: 'unavailable' },
    );
  });

  it('goes on, like a read, after a newer program has added to the tables', async () => {
    const store = await nodes.add();
    const id = await addReader(store, 5);
    const change = () => store.accounts.change(id, { topUp: 1 }, audit);
    assert.notEqual(await store.accounts.find(id, NOW), undefined);
    await change();
    await nodes.database.run('alter table account add column newer bigint not null default 0');
    assert.equal((await store.accounts.find(id, NOW))?.id, id);
    await change();
    assert.equal((await store.accounts.find(id, NOW))?.quota.remaining, 7);
  });

  it('whose wait for a replica is cancelled is not said to be done', async () => {
    // Commits wait for a replica that never comes; only those of this runner, or there would be no store.
    const waits = ['synchronous_standby_names=nobody', 'synchronous_commit=local'];
    const server = await startPostgres([...waits, 'fsync=off']);
    const database = await newDatabase(server);
    const runner = await openRunner(database.url, '-c synchronous_commit=on');
    const cancel = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`;
    try {
      const writing = runner.write(() => writeAudit(audit, 'is', 'not replicated'));
      const refused = assert.rejects(writing, { code: 'unavailable' });
      await until(async () => (await database.run(cancel)).length > 0, 'it waits for a replica');
      await refused;
    } finally {
      await runner.close();
      await database.drop();
      await server.stop();
    }
  });
});

describe('a search on PostgreSQL', () => {
  const ROWS = 60_000;
  /** One word that all have, and one that is its own. */
  const FILL = `insert into sample_text
    select number, array_to_tsvector(array['common', 'own' || number]) from generate_series(1, ${ROWS}) as number`;

  /** How many texts are looked at for it, as PostgreSQL tells. */
  async function lookedAt(unit: UnitOfWork<unknown>): Promise<number> {
    const client = new pg.Client({ connectionString: nodes.database.url });
    await client.connect();
    let most = 0;
    const explained = async ({ text, values }: { text: string; values: unknown[] }) => {
      const asked = `explain (analyze, format json) ${text}`;
      const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(asked, values);
      for (const { Plan } of rows[0]?.['QUERY PLAN'] ?? []) most = Math.max(most, mostRows(Plan));
      return await client.query(text, values);
    };
    const statements = new Statements();
    let turn = unit.next([]);
    while (!turn.done) {
      // All that it asks is this kind of step, of whoever has this method.
      const step = turn.value as QueryStep;
      turn = unit.next(await statements.run({ query: explained } as never, step));
    }
    await client.end();
    return most;
  }

  interface Plan {
    readonly Plans?: readonly Plan[];
    readonly 'Actual Rows': number;
    readonly 'Rows Removed by Filter'?: number;
  }

  function mostRows(plan: Plan): number {
    const own = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
    return Math.max(own, ...(plan.Plans ?? []).map(mostRows));
  }

  const WORDS = {
    'that is in all texts': () => newestWithWords('sample_text', ['common'], 200),
    'that is in one of the oldest': () => newestWithWords('sample_text', ['own7'], 200),
    'that is in none': () => newestWithWords('sample_text', ['absent'], 200),
    'that is in none, and would be in one': () => newestWithWord('sample_text', '§absent', 1),
  };

  for (const [which, unit] of Object.entries(WORDS)) {
    it(`for a word ${which} does not look at all texts`, async () => {
      await (await openRunner(nodes.database.url, '')).close();
      await nodes.database.run(FILL);
      await nodes.database.run('vacuum analyze sample_text');
      const looked = await lookedAt(unit());
      assert.ok(looked <= ROWS / 3, `${looked} were looked at`);
    });
  }
});
