import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { parseFileHash } from '../../../src/domain/samples/file-hash.ts';
import { hex, NOW, newSample } from '../contracts/store-contract.ts';
import { addFeed, addReader, lookUp, type Nodes, newReport, openForEachTest } from './nodes.ts';

let nodes: Nodes;
openForEachTest((opened) => {
  nodes = opened;
});

/**
 * The statements of each round trip of the write transactions during a call. Those that are sent
 * before the first answer share a round trip.
 */
async function tripsDuring(call: () => Promise<unknown>): Promise<readonly (readonly string[])[]> {
  const trips: string[][] = [];
  const writers = new Map<pg.Client, { unanswered: number; texts: string[] }>();
  const query = pg.Client.prototype.query;
  const record = function (this: pg.Client, ...args: unknown[]) {
    const sent = Reflect.apply(query, this, args);
    const [statement] = args as [string | pg.QueryConfig];
    const text = typeof statement === 'string' ? statement : statement.text;
    if (text === 'begin') writers.set(this, { unanswered: 0, texts: [] });
    const writer = writers.get(this);
    if (writer === undefined) return sent;
    if (writer.unanswered === 0) {
      writer.texts = [];
      trips.push(writer.texts);
    }
    writer.texts.push(text);
    writer.unanswered += 1;
    const answered = () => {
      writer.unanswered -= 1;
    };
    (sent as Promise<unknown>).then(answered, answered);
    if (text === 'commit') writers.delete(this);
    return sent;
  };
  pg.Client.prototype.query = record as typeof query;
  try {
    await call();
  } finally {
    pg.Client.prototype.query = query;
  }
  return trips;
}

const startsWith = (start: string) => (text: string) => text.startsWith(start);

describe('a batch on PostgreSQL', () => {
  it('of creates takes three round trips, one of them while its feeds are locked', async () => {
    const node = await nodes.add();
    const reporter = await addReader(node, 10);
    const feeds = [await addFeed(node), await addFeed(node)];
    // Twice each C2, with names that are new and known.
    const create = (name: string) =>
      Promise.all(
        feeds.flatMap((feed) =>
          ['one', 'other'].map((host) =>
            node.reports.create({
              ...newReport(feed, reporter, `${host}.${name}.example`),
              tags: [name],
            }),
          ),
        ),
      );
    // Compiles the statements.
    await create('a');
    await create('a');
    for (const name of ['a', 'b']) {
      const trips = await tripsDuring(() => create(name));
      assert.equal(trips.length, 3);
      const moves = trips.map((texts) => texts.filter(startsWith('update "service"')).length);
      assert.deepEqual(moves, [0, 1, 0], 'one statement locks all feeds');
      assert.equal(trips[2]?.at(-1), 'commit');
    }
  });

  it('of lookups takes three round trips, of known and unknown files', async () => {
    const node = await nodes.add();
    const account = await addReader(node, 100);
    const sample = newSample();
    await node.samples.putAll([sample], NOW);
    const lookUpAll = (hash: string) =>
      Promise.all(
        [1, 2, 3].map(() =>
          node.samples.lookUp({ accountId: account, hash: parseFileHash(hash), now: NOW }),
        ),
      );
    for (const hash of [sample.sha256, hex(32)]) {
      // Compiles the statements.
      await lookUpAll(hash);
      const trips = await tripsDuring(() => lookUpAll(hash));
      assert.equal(trips.length, 3);
    }
  });

  it('of lookups charges all accounts in one statement', async () => {
    const node = await nodes.add();
    const accounts = await Promise.all([5, 5, 2, 1].map((limit) => addReader(node, limit)));
    const lookUpAll = () => Promise.all(accounts.map((account) => lookUp(node, account)));
    await lookUpAll();
    const trips = await tripsDuring(async () => {
      const served = (await lookUpAll()).map((answer) => answer.served);
      assert.deepEqual(served, [true, true, true, false]);
    });
    const updates = trips.flat().filter(startsWith('update "account"'));
    // The second one is for the account that has too few units.
    assert.ok(updates.length <= 2, updates.join('\n'));
    assert.deepEqual(
      await Promise.all(accounts.map((account) => nodes.unitsUsed(account))),
      [2, 2, 2, 1],
    );
  });
});
