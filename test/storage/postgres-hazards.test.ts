import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Store } from '../../src/ports/store.ts';
import type { Webhook } from '../../src/ports/webhook-store.ts';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { openPools } from '../../src/storage/postgres/pools.ts';
import { PostgresRunner } from '../../src/storage/postgres/runner.ts';
import { note } from '../../src/storage/sql/audit.ts';
import { newDatabase, startPostgres, type TestDatabase } from '../postgres.ts';
import { act, NOW } from './contract.ts';
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

function newWebhook(service: string): Webhook {
  return {
    id: randomUUID(),
    service,
    url: 'https://desk.example/hook',
    events: ['report.created'],
    format: 'standard',
    createdBy: 'contract',
    createdAt: NOW,
    disabledAt: undefined,
    disabledReason: undefined,
    failingSince: undefined,
  };
}

async function addWebhook(store: Store, service: string): Promise<Webhook> {
  const webhook = newWebhook(service);
  assert.equal(await store.webhooks.add(webhook, randomBytes(60), act), 'added');
  return webhook;
}

/** Lets both begin, in this order, while somebody else holds what they need; then lets them go on. */
async function meet(held: string, calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  const holder = new pg.Client({ connectionString: nodes.database.url });
  const letGo = await hold(holder, held);
  const begun: Promise<unknown>[] = [];
  for (const call of calls) {
    begun.push(call());
    await waitFor(begun.length);
  }
  await letGo();
  await Promise.all(begun);
}

/** Until so many wait for a lock. */
async function waitFor(count: number): Promise<void> {
  const waiting =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  for (let left = 100; (await nodes.database.run(waiting)).length < count; left -= 1) {
    assert.ok(left > 0, 'they were never in each other’s way');
    await pause(20);
  }
}

describe('two nodes on PostgreSQL at the same moment', () => {
  it('that add a webhook and give up another of the feed leave the new one in use', async () => {
    const [one, other] = [await nodes.add(), await nodes.add()];
    const feed = await addFeed(one);
    const [broken, added] = [await addWebhook(one, feed), newWebhook(feed)];
    await one.webhooks.test({ service: feed, id: broken.id }, randomUUID(), NOW);
    const wish = { limit: 1, perWebhook: 1, leaseMs: 60_000, now: NOW };
    const [claimed = assert.fail()] = await other.webhooks.claim(wish);
    const failed = { status: 410, error: 'gone', pauseUntil: NOW, at: NOW };
    await meet(
      `select 1 from service where slug = '${feed}' for update`,
      [
        () => one.webhooks.add(added, randomBytes(60), act),
        () => other.webhooks.settle(claimed, { kind: 'dead', disable: 'gone', ...failed }),
      ],
    );
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
      runner.write(() => note(act, 'is', 'read only')),
      { code: 'unavailable' },
    );
  });

  it('whose wait for a replica is cancelled is not said to be done', async () => {
    // Commits wait for a replica that never comes; only those of this runner, or there would be no store.
    const waits = ['synchronous_standby_names=nobody', 'synchronous_commit=local'];
    const server = await startPostgres([...waits, 'fsync=off']);
    const database = await newDatabase(server);
    const runner = await openRunner(database.url, '-c synchronous_commit=on');
    const cancel = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`;
    try {
      const writing = runner.write(() => note(act, 'is', 'not replicated'));
      const refused = assert.rejects(writing, { code: 'unavailable' });
      while ((await database.run(cancel)).length === 0) await pause(20);
      await refused;
    } finally {
      await runner.close();
      await database.drop();
      await server.stop();
    }
  });
});
