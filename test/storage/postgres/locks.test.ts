import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import type { Store } from '../../../src/ports/store.ts';
import { FeedRig, later } from '../contracts/feed-rig.ts';
import { audit, hex, NOW, newAccount, newSample, newToken } from '../contracts/store-contract.ts';
import { hold, Nodes } from './nodes.ts';

describe('locks on PostgreSQL', () => {
  let nodes: Nodes;
  let store: Store;
  let rig: FeedRig;
  before(async () => {
    nodes = await Nodes.open();
    store = await nodes.add();
    rig = await FeedRig.in(store);
  });
  after(() => nodes.close());

  const client = () => new pg.Client({ connectionString: nodes.database.url });

  it('of a feed or an account do not wait for inserts of rows that reference it', async () => {
    const account = newAccount();
    await store.accounts.add(account, newToken(), audit);
    const feed = await rig.service();
    const report = await rig.create(feed);
    // The locks that an insert of a referencing row takes.
    const referencing = [
      await hold(client(), `select from service where slug = '${feed}' for key share`),
      await hold(client(), `select from account where id = '${account.id}' for key share`),
    ];
    const sample = newSample({ sha256: report.sha256, configs: { LANTERN: {} }, tags: [] });
    await store.samples.putAll([sample], NOW);
    assert.equal((await store.reports.find(feed, report.id))?.name, 'LANTERN');
    const changed = await store.accounts.change(account.id, { disabled: true }, audit);
    assert.ok(typeof changed === 'object' && 'disabled' in changed && changed.disabled);
    for (const release of referencing) await release();
  });

  it('are not extended to another feed when reports of the first one disappear', async () => {
    const sha256 = hex(32);
    const [first, second] = [await rig.service(), await rig.service()];
    // As many as are renamed in one transaction, and one more.
    await store.feeds.createMany(Array.from({ length: 20 }, () => rig.report(first, { sha256 })));
    const last = await rig.create(second, { sha256 });
    const holder = client();
    await hold(holder, `select from service where slug = '${first}' for update`);
    const sample = newSample({ sha256, configs: { LANTERN: {} }, tags: [] });
    const putting = store.samples.putAll([sample], later(1000));
    await nodes.untilWaiting(1);
    await holder.query(
      'update report set sha256 = $1 where id = (select max(id) from report where sha256 = $2 and id <> $3)',
      [hex(32), sha256, last.id],
    );
    await holder.query('commit');
    await holder.end();
    await putting;
    const nameOf = async () => (await store.reports.find(second, last.id))?.name;
    assert.notEqual(await nameOf(), 'LANTERN', 'the lock of its feed was not taken');
    while ((await store.feeds.reevaluatePending(later(2000), 10)) > 0);
    assert.equal(await nameOf(), 'LANTERN');
    const names = (await rig.list(first)).map(({ name }) => name);
    assert.equal(names.filter((name) => name === 'LANTERN').length, 19);
  });

  it('of the counters of all feeds are taken last when an analysis renames reports', async () => {
    const feed = await rig.service();
    const account = newAccount();
    await store.accounts.add(account, newToken(), audit);
    const sample = newSample({ configs: { LANTERN: {} }, tags: [] });
    const { md5, sha1, sha256, sha512, blake3, sizeBytes, fileName } = sample;
    const digests = { md5, sha1, sha256, sha512, blake3 };
    const uploaded = { uploadedBy: account.id, uploadedAt: NOW };
    await store.samples.submit({ digests, sizeBytes, fileName, ...uploaded });
    const report = await rig.create(feed, { sha256 });
    const release = await hold(client(), 'select from upload for update');
    const details = { evidence: [], indicators: [], facts: {}, members: [], c2s: [] };
    const finishing = store.samples.finish({ report: sample, details }, later(1000));
    await nodes.untilWaiting(1);
    // The analysis waits for the row of the upload; creates in other feeds must not wait for it.
    await nodes.database.run('select from statistic_family where scope < 0 for update nowait');
    await release();
    await finishing;
    assert.equal((await store.reports.find(feed, report.id))?.name, 'LANTERN');
    const { families } = await store.feeds.statistics(feed, '2000-01-01');
    assert.deepEqual(families, [{ name: 'LANTERN', reports: 1 }]);
  });
});
