import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { audit, newAccount, newToken } from '../contracts/store-contract.ts';
import {
  addFeed,
  addReader,
  type Nodes,
  newReport,
  notificationDroppingProxy,
  openForEachTest,
} from './nodes.ts';

let nodes: Nodes;
openForEachTest((opened) => {
  nodes = opened;
});

describe('nodes of one store on PostgreSQL', () => {
  /** How the notifications of one node are disturbed, by the end of the title. */
  const DISTURBANCES = {
    '': async () => ({ url: nodes.database.url, disturb: async () => {} }),
    ', even if notifications are dropped': async () => {
      const { url, close } = await notificationDroppingProxy(nodes.database.url);
      nodes.closeLater(close);
      return { url, disturb: async () => {} };
    },
    ', even if their connections break': async () => {
      return { url: nodes.database.url, disturb: () => nodes.killChannels() };
    },
  };

  for (const [condition, prepare] of Object.entries(DISTURBANCES)) {
    it(`refuse a token within a second after another has revoked it${condition}`, async () => {
      const { url, disturb } = await prepare();
      const [one, other] = [await nodes.add(), await nodes.add(url)];
      const [account, token] = [newAccount(), newToken()];
      await one.accounts.add(account, token, audit);
      const isAccepted = async () =>
        (await other.access.findCredential(token.digest))?.revoked === false;
      await pause(500);
      assert.ok(await isAccepted());
      await disturb();
      await one.tokens.revoke(token.id, undefined, audit);
      const revokedAt = performance.now();
      // Queried continuously, so that it stays in the cache for as long as possible.
      for (let queriedAt = revokedAt; await isAccepted(); queriedAt = performance.now()) {
        assert.ok(queriedAt - revokedAt < 1000, 'it was still accepted after a second');
        await pause(5);
      }
      // At once on the node that revoked it.
      assert.equal((await one.access.findCredential(token.digest))?.revoked, true);
    });

    it(`notify each other of changes in feeds${condition}`, async () => {
      const { url, disturb } = await prepare();
      const [one, other] = [await nodes.add(), await nodes.add(url)];
      const [feed, id] = [await addFeed(one), await addReader(one, 1)];
      // After the notifications of its creation.
      await pause(1500);
      const received = Promise.withResolvers<void>();
      const stop = other.feeds.onChange((service) => service === feed && received.resolve());
      await disturb();
      await one.reports.create(newReport(feed, id));
      const late = new AbortController();
      const tooLate = pause(60_000, 'late', { signal: late.signal }).catch(() => 'late');
      assert.equal(await Promise.race([received.promise, tooLate]), undefined);
      late.abort();
      stop();
    });
  }
});
