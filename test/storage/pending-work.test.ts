import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { PendingWork } from '../../src/ports/pending-work.ts';
import type { Store } from '../../src/ports/store.ts';
import { KEY_ID } from '../builders.ts';
import { openMemoryStore } from '../empty-store.ts';
import { FeedRig, later } from './contracts/feed-rig.ts';
import { audit, NOW, newSample, testForms } from './contracts/store-contract.ts';
import { Nodes } from './postgres/nodes.ts';

const DAY_MS = 86_400_000;

/** Each test adds to the work of those before it. */
function pendingWorkContract(name: string, open: () => Promise<Store>): void {
  describe(`the pending work of a store on ${name}`, () => {
    let store: Store;
    let rig: FeedRig;
    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
    });

    const pending = async (now = NOW): Promise<readonly string[]> => {
      const work: PendingWork = await store.pendingWork({ now, keyId: KEY_ID });
      return Object.entries(work).flatMap(([kind, isDue]) => (isDue ? kind : []));
    };

    it('is none of a new store', async () => {
      assert.deepEqual(await pending(), []);
    });

    it('has reports that are to expire, when it is their time', async () => {
      await rig.create(await rig.service(1));
      assert.deepEqual(await pending(), []);
      assert.deepEqual(await pending(later(DAY_MS)), ['expiries']);
    });

    it('has deliveries of webhooks, with the key of the caller', async () => {
      const service = await rig.service();
      await rig.webhook(service);
      assert.deepEqual(await pending(), []);
      await rig.create(service);
      assert.deepEqual(await pending(), ['webhooks']);
      const other = await store.pendingWork({ now: NOW, keyId: '2'.repeat(16) });
      assert.equal(other.webhooks, false);
    });

    it('has uploads until they are analysed, and a run over all files until it is over', async () => {
      const { md5, sha1, sha256, sha512, blake3, sizeBytes, fileName } = newSample();
      await store.samples.submit({
        digests: { md5, sha1, sha256, sha512, blake3 },
        sizeBytes,
        fileName,
        uploadedBy: (await rig.account()).id,
        uploadedAt: NOW,
      });
      assert.deepEqual(await pending(), ['uploads', 'webhooks']);
      await store.samples.startReanalysis(NOW, audit);
      assert.deepEqual(await pending(), ['uploads', 'webhooks', 'reanalysis']);
    });
  });
}

describe('on SQLite', () => {
  let opened: Store;
  after(() => opened.close());
  pendingWorkContract('sqlite', async () => {
    opened = await openMemoryStore(testForms);
    return opened;
  });
});

describe('on PostgreSQL', () => {
  let nodes: Nodes;
  before(async () => {
    nodes = await Nodes.open();
  });
  after(() => nodes.close());
  pendingWorkContract('postgres', () => nodes.add());
});
