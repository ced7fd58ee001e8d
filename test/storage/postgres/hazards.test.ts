import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import pg from 'pg';
import type { Store } from '../../../src/ports/store.ts';
import type { Webhook } from '../../../src/ports/webhook-store.ts';
import { Statements } from '../../../src/storage/postgres/statements.ts';
import { newestWithWord, newestWithWords } from '../../../src/storage/tables/search/search-text.ts';
import { writeAudit } from '../../../src/storage/units/audit.ts';
import type { QueryStep } from '../../../src/storage/units/steps.ts';
import type { UnitOfWork } from '../../../src/storage/units/unit-of-work.ts';
import { KEY_ID, SEALED } from '../../builders.ts';
import { newDatabase, startPostgres } from '../../postgres.ts';
import { until } from '../../until.ts';
import {
  audit,
  NOW,
  newAccount,
  newSample,
  newToken,
  newWebhook,
} from '../contracts/store-contract.ts';
import { addFeed, addReader, hold, type Nodes, openForEachTest, openRunner } from './nodes.ts';

let nodes: Nodes;
openForEachTest((opened) => {
  nodes = opened;
});

/** A webhook that is not added, and its owner, who is. */
async function ownedWebhook(store: Store, service: string): Promise<Webhook> {
  const owner = newAccount({ services: [service] });
  await store.accounts.add(owner, newToken(), audit);
  return newWebhook(service, owner);
}

async function addWebhook(store: Store, service: string): Promise<Webhook> {
  const webhook = await ownedWebhook(store, service);
  assert.equal(await store.webhooks.add(webhook, SEALED, audit), 'added');
  return webhook;
}

/**
 * Starts the calls in this order while another session holds their lock, then releases the lock.
 */
async function contend(lock: string, calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  const holder = new pg.Client({ connectionString: nodes.database.url });
  const release = await hold(holder, lock);
  const started: Promise<unknown>[] = [];
  for (const call of calls) {
    started.push(call());
    await nodes.untilWaiting(started.length);
  }
  await release();
  await Promise.all(started);
}

describe('two nodes on PostgreSQL that concurrently', () => {
  it('add a webhook and disable another one of the feed keep the new one in use', async () => {
    const [one, other] = [await nodes.add(), await nodes.add()];
    const feed = await addFeed(one);
    const [broken, added] = [await addWebhook(one, feed), await ownedWebhook(one, feed)];
    await one.webhooks.test({ service: feed, id: broken.id }, randomUUID(), NOW);
    const request = { limit: 1, perWebhook: 1, leaseMs: 60_000, now: NOW, keyId: KEY_ID };
    const [leased = assert.fail()] = await other.webhooks.lease(request);
    const failed = {
      status: 410,
      error: 'gone',
      pause: 'always',
      pauseUntil: NOW,
      at: NOW,
    } as const;
    await contend(`select 1 from service where slug = '${feed}' for update`, [
      () => one.webhooks.add(added, SEALED, audit),
      () => other.webhooks.settle(leased, { kind: 'dead', disable: 'gone', ...failed }),
    ]);
    const counted = await nodes.database.run(
      "select webhook_count from service where slug <> 'unclaimed'",
    );
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
    const deliveries = await one.webhooks.deliveries({ service: feed, id: added.id }, page);
    assert.equal(deliveries.length, 1);
  });

  it('respect each other’s leases of deliveries although their clocks differ', async () => {
    const [one, other] = [await nodes.add(), await nodes.add()];
    const feed = await addFeed(one);
    const { id } = await addWebhook(one, feed);
    await one.webhooks.test({ service: feed, id }, randomUUID(), NOW);
    const request = { limit: 1, perWebhook: 1, leaseMs: 60_000, now: NOW, keyId: KEY_ID };
    const ahead = { ...request, now: new Date(NOW.getTime() + 3_600_000) };
    const leased = await one.webhooks.lease(request);
    assert.equal(leased.length, 1);
    assert.deepEqual(await other.webhooks.lease(ahead), []);
    assert.equal(await one.webhooks.renew(leased, { ...request, leaseMs: 0 }), 1);
    assert.equal(
      (await other.webhooks.lease(request)).length,
      1,
      'it has expired for a clock that is behind, too',
    );
    assert.equal(await one.webhooks.renew(leased, request), 0, 'the lease was lost');
  });

  it('index a file and purge it leave nothing of it in the index', async () => {
    const [one, other] = [await nodes.add(), await nodes.add()];
    const ssdeep = '96:aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5z:aB3dE5fG7hI9jK1';
    // More files than are indexed with the upload.
    const reports = Array.from({ length: 11 }, () => newSample({ ssdeep }));
    await one.samples.putAll(reports, NOW);
    const [first = assert.fail()] = reports;
    await contend('lock table gram in share mode', [
      () => one.samples.indexSimilar(100),
      () => other.samples.purge(first.sha256, 'asked for', audit),
    ]);
    const lost = 'select from gram where fuzzy_hash_id not in (select id from fuzzy_hash)';
    assert.equal((await nodes.database.run(lost)).length, 0);
    assert.notEqual((await nodes.database.run('select from gram')).length, 0);
  });

  /** A webhook with an old delivery. */
  async function withDeadDelivery(store: Store) {
    const feed = await addFeed(store);
    const { id } = await addWebhook(store, feed);
    const [webhook, deliveryId] = [{ service: feed, id }, randomUUID()];
    await store.webhooks.test(webhook, deliveryId, NOW);
    return { webhook, deliveryId };
  }

  const later = (days: number) => new Date(NOW.getTime() + days * 86_400_000);
  const forget = {
    now: later(100),
    deliveredBefore: later(100),
    deadBefore: later(100),
    limit: 10,
    keyId: KEY_ID,
  };
  const all = { limit: 10, before: undefined, state: undefined };
  const HELD = 'select 1 from delivery for update';

  it('replay a delivery and delete old ones keep the replayed one', async () => {
    const [one, other] = [await nodes.add(), await nodes.add()];
    const { webhook, deliveryId } = await withDeadDelivery(one);
    await nodes.database.run("update delivery set state = 'dead', finished_at = $1", [NOW]);
    await contend(HELD, [
      () => one.webhooks.replay(webhook, deliveryId, NOW),
      () => other.webhooks.deleteOldDeliveries(forget),
    ]);
    const deliveries = await one.webhooks.deliveries(webhook, all);
    assert.deepEqual(
      deliveries === 'absent' ? deliveries : deliveries.map(({ id, state }) => [id, state]),
      [[deliveryId, 'waiting']],
    );
  });

  it('delete the pending deliveries of a webhook and enable it do so in sequence', async () => {
    const [one, other] = [await nodes.add(), await nodes.add()];
    const { webhook } = await withDeadDelivery(one);
    await nodes.database.run('update webhook set disabled_at = $1', [NOW]);
    await contend(HELD, [
      () => other.webhooks.deleteOldDeliveries(forget),
      () => one.webhooks.enable(webhook, audit),
    ]);
    assert.deepEqual(await one.webhooks.deliveries(webhook, all), []);
  });
});

describe('a transaction on PostgreSQL', () => {
  it('on a read-only server is refused as unavailable', async () => {
    const runner = await nodes.addRunner('-c default_transaction_read_only=on');
    await assert.rejects(
      runner.write(() => writeAudit(audit, 'is', 'read only')),
      { code: 'unavailable' },
    );
  });

  it('succeeds, like a read, after a newer version has added a column', async () => {
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

  it('whose wait for a replica is cancelled is not acknowledged', async () => {
    // Commits of this runner wait for a replica that does not exist. Others must not: they set up
    // the store.
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
  /** Each text has one common word and one unique word. */
  const FILL = `insert into sample_text
    select number, array_to_tsvector(array['common', 'own' || number]) from generate_series(1, ${ROWS}) as number`;

  /** The largest number of rows read by a node of the plans. */
  async function rowsRead(unit: UnitOfWork<unknown>): Promise<number> {
    const client = new pg.Client({ connectionString: nodes.database.url });
    await client.connect();
    let max = 0;
    const explain = async ({ text, values }: { text: string; values: unknown[] }) => {
      const explained = `explain (analyze, format json) ${text}`;
      const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(explained, values);
      for (const { Plan } of rows[0]?.['QUERY PLAN'] ?? []) max = Math.max(max, maxRows(Plan));
      return await client.query(text, values);
    };
    const statements = new Statements();
    let result = unit.next([]);
    while (!result.done) {
      // The units of this test yield only queries.
      const step = result.value as QueryStep;
      result = unit.next(await statements.run({ query: explain } as never, step));
    }
    await client.end();
    return max;
  }

  interface Plan {
    readonly Plans?: readonly Plan[];
    readonly 'Actual Rows': number;
    readonly 'Rows Removed by Filter'?: number;
  }

  function maxRows(plan: Plan): number {
    const own = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
    return Math.max(own, ...(plan.Plans ?? []).map(maxRows));
  }

  const WORDS = {
    'of all texts': () => newestWithWords('sample_text', ['common'], 200),
    'of one of the oldest texts': () => newestWithWords('sample_text', ['own7'], 200),
    'of no text': () => newestWithWords('sample_text', ['absent'], 200),
    'of no text, with a limit of one': () => newestWithWord('sample_text', '§absent', 1),
  };

  for (const [which, unit] of Object.entries(WORDS)) {
    it(`for a word ${which} does not read all texts`, async () => {
      await (await openRunner(nodes.database.url, '')).close();
      await nodes.database.run(FILL);
      await nodes.database.run('vacuum analyze sample_text');
      const read = await rowsRead(unit());
      assert.ok(read <= ROWS / 3, `${read} rows were read`);
    });
  }
});
