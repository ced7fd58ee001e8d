import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Store } from '../../../src/ports/store.ts';
import { LossyProxy } from '../../lossy-proxy.ts';
import { until } from '../../until.ts';
import { audit, NOW } from '../contracts/store-contract.ts';
import {
  addFeed,
  addReader,
  lookUp,
  type Nodes,
  newReport,
  openForEachTest,
  outcomeOf,
} from './nodes.ts';

let nodes: Nodes;
openForEachTest((opened) => {
  nodes = opened;
});

/** A node whose connection to the database can be cut. */
async function addLossyNode(): Promise<{ readonly store: Store; readonly wire: LossyProxy }> {
  const wire = new LossyProxy(Number(new URL(nodes.database.url).port));
  nodes.closeLater(() => wire.close());
  return { store: await nodes.add(await wire.urlFor(nodes.database.url)), wire };
}

/** Reads of accounts that wait for a lock. */
const WAITING = `select pid from pg_stat_activity where datname = current_database()
  and wait_event_type = 'Lock' and query like 'select * from "account"%'`;

/** The outcome of the lost call is not tested; it may fail while the store is closed. */
const ignore = (call: Promise<unknown>) => void call.catch(() => undefined);

describe('a node that is cut off in the middle of a transaction', () => {
  it('does not make creates in the same feed fail on another node', async () => {
    const other = await nodes.add();
    const { store: lost, wire } = await addLossyNode();
    const [feed, reporter] = [await addFeed(other), await addReader(other, 1)];
    await other.reports.create(newReport(feed, reporter));
    const trapped = wire.trap('lost.example', 'silence-all');
    ignore(lost.reports.create(newReport(feed, reporter, 'lost.example')));
    await trapped;
    const created = await other.reports.create(newReport(feed, reporter));
    assert.equal(created.kind, 'created');
  });

  it('does not make lookups of the same account fail on another node', async () => {
    const other = await nodes.add();
    const { store: lost, wire } = await addLossyNode();
    const reader = await addReader(other, 5);
    assert.equal(await outcomeOf(lookUp(other, reader)), 'served');
    const trapped = wire.trap(reader, 'silence-all');
    ignore(lookUp(lost, reader));
    await trapped;
    assert.equal(await outcomeOf(lookUp(other, reader)), 'served');
  });
});

describe('a node whose connections to the database are half-open', () => {
  it('replaces them and serves reads and writes', async () => {
    const { store, wire } = await addLossyNode();
    const [feed, reader] = [await addFeed(store), await addReader(store, 5)];
    assert.equal(await outcomeOf(lookUp(store, reader)), 'served');
    await store.reports.create(newReport(feed, reader));
    wire.silenceAll();
    const calls = [
      outcomeOf(lookUp(store, reader)),
      store.reports.create(newReport(feed, reader)).then(({ kind }) => kind),
      // It and that of unclaimed addresses.
      store.services.list().then(({ length }) => length),
    ];
    assert.deepEqual(await Promise.all(calls), ['served', 'created', 2]);
    assert.equal(await nodes.unitsUsed(reader), 2);
  });

  it('does not replace a connection whose statement takes long', async () => {
    const store = await nodes.add();
    const reader = await addReader(store, 5);
    const holder = nodes.database.run('begin; lock table account; select pg_sleep(3); commit');
    // Other tests share the server.
    const locked = `select from pg_locks where mode = 'AccessExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())
      and relation = 'account'::regclass`;
    await until(async () => (await nodes.database.run(locked)).length > 0, 'the table is locked');
    let isHeld = true;
    const held = holder.then(() => {
      isHeld = false;
    });
    const found = store.accounts.find(reader, NOW);
    const waiting = new Set<unknown>();
    await until(async () => {
      for (const { pid } of await nodes.database.run(WAITING)) waiting.add(pid);
      return !isHeld;
    }, 'the table is free');
    await held;
    assert.equal((await found)?.id, reader);
    assert.equal(waiting.size, 1, 'the same session waited from the beginning to the end');
  });
});

describe('a lookup whose commit succeeded but cannot be confirmed', () => {
  it('is refused, and its unit is refunded once, to the balance it was taken from', async () => {
    const { store, wire } = await addLossyNode();
    const reader = await addReader(store, 1);
    await store.accounts.change(reader, { topUp: 3 }, audit);
    assert.equal(await outcomeOf(lookUp(store, reader)), 'served');
    const trapped = wire.trap(reader, 'cut-after-commit');
    const outcome = outcomeOf(lookUp(store, reader));
    await trapped;
    assert.equal(await outcome, 'unavailable');
    assert.deepEqual(await balanceOf(reader), { used: 1, extra: 2 }, 'the commit succeeded');
    assert.equal(await nodes.unitsCharged(reader), 2);
    wire.refuse(false);
    await until(async () => (await balanceOf(reader)).extra === 3, 'the unit is refunded');
    assert.equal(await nodes.unitsCharged(reader), 1, 'the charge is taken back, too');
    assert.equal(await outcomeOf(lookUp(store, reader)), 'served');
    assert.deepEqual(await balanceOf(reader), { used: 1, extra: 2 });
  });
});

async function balanceOf(accountId: string) {
  const sql = 'select quota_used as used, quota_extra as extra from account where id = $1';
  const [row] = await nodes.database.run(sql, [accountId]);
  return { used: Number(row?.['used']), extra: Number(row?.['extra']) };
}
