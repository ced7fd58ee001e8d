import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { StatementGroup } from '../../../src/storage/postgres/statement-group.ts';
import { addFeed, addReader, lookUp, type Nodes, newReport, openForEachTest } from './nodes.ts';

let nodes: Nodes;
openForEachTest((opened) => {
  nodes = opened;
});

/** The texts of each group of statements of the write transactions during a call. */
async function groupsDuring(call: () => Promise<unknown>): Promise<readonly (readonly string[])[]> {
  const groups: string[][] = [];
  const writers = new Set<unknown>();
  const query = pg.Client.prototype.query;
  const record = function (this: pg.Client, ...args: unknown[]) {
    const [group] = args;
    if (group instanceof StatementGroup) {
      const texts = group.statements.map(({ text }) => text);
      if (texts[0] === 'begin') writers.add(this);
      if (writers.has(this)) groups.push(texts);
      if (texts.at(-1) === 'commit') writers.delete(this);
    }
    return Reflect.apply(query, this, args);
  };
  pg.Client.prototype.query = record as typeof query;
  try {
    await call();
  } finally {
    pg.Client.prototype.query = query;
  }
  return groups;
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
      const groups = await groupsDuring(() => create(name));
      assert.equal(groups.length, 3);
      const moves = groups.map((texts) => texts.filter(startsWith('update "service"')).length);
      assert.deepEqual(moves, [0, 1, 0], 'one statement locks all feeds');
      assert.equal(groups[2]?.at(-1), 'commit');
    }
  });

  it('of lookups charges all accounts in one statement', async () => {
    const node = await nodes.add();
    const accounts = await Promise.all([5, 5, 2, 1].map((limit) => addReader(node, limit)));
    const lookUpAll = () => Promise.all(accounts.map((account) => lookUp(node, account)));
    await lookUpAll();
    const groups = await groupsDuring(async () => {
      const served = (await lookUpAll()).map((answer) => answer.served);
      assert.deepEqual(served, [true, true, true, false]);
    });
    const updates = groups.flat().filter(startsWith('update "account"'));
    // The second one is for the account that has too few units.
    assert.ok(updates.length <= 2, updates.join('\n'));
    assert.deepEqual(
      await Promise.all(accounts.map((account) => nodes.unitsUsed(account))),
      [2, 2, 2, 1],
    );
  });
});
