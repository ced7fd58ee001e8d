import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Queue } from '../../src/ports/queue.ts';
import type { Store } from '../../src/ports/store.ts';
import { audit, newAccount, newSample, newToken } from '../storage/contracts/store-contract.ts';

export interface FairnessRig {
  readonly store: Store;
  readonly queue: Queue;
  now(): Date;
  /** Waits, or sets the clock, until a job is due whose first attempt failed now. */
  passRetryDelay(): Promise<void>;
  close(): Promise<void>;
}

/** The order of accounts in a queue. Each database calls this with a function that opens one. */
export function fairnessContract(name: string, open: () => Promise<FairnessRig>): void {
  describe(`${name} queue with many accounts`, () => {
    let rig: FairnessRig;
    /** The accounts by the hashes of their samples. */
    const uploaders = new Map<string, string>();
    before(async () => {
      rig = await open();
    });
    after(() => rig.close());

    async function account(): Promise<string> {
      const added = newAccount();
      await rig.store.accounts.add(added, newToken(), audit);
      return added.id;
    }

    async function submit(accountId: string, count: number): Promise<readonly string[]> {
      const hashes: string[] = [];
      for (let added = 0; added < count; added += 1) {
        const { md5, sha1, sha256, sha512, blake3 } = newSample();
        uploaders.set(sha256, accountId);
        hashes.push(sha256);
        await rig.store.samples.submit({
          digests: { md5, sha1, sha256, sha512, blake3 },
          sizeBytes: 1,
          fileName: 'a.exe',
          uploadedBy: accountId,
          uploadedAt: rig.now(),
        });
      }
      return hashes;
    }

    const lease = (limit: number) => rig.queue.lease('analyse', limit);

    /** Leases and completes all jobs, one after the other. Returns their accounts. */
    async function drain(): Promise<string[]> {
      const order: string[] = [];
      for (let jobs = await lease(1); jobs.length > 0; jobs = await lease(1))
        for (const job of jobs) {
          order.push(uploaders.get(job.key) ?? '');
          await rig.queue.complete(job);
        }
      return order;
    }

    it('serves a new account next, even if another has many jobs queued', async () => {
      const [many, few] = [await account(), await account()];
      await submit(many, 20);
      const [first = assert.fail()] = await lease(1);
      await submit(few, 1);
      const [next = assert.fail()] = await lease(1);
      assert.equal(uploaders.get(first.key), many);
      assert.equal(uploaders.get(next.key), few);
      await rig.queue.complete(first);
      await rig.queue.complete(next);
      assert.equal((await drain()).length, 19);
    });

    it('serves accounts alternately', async () => {
      const [a, b, c] = [await account(), await account(), await account()];
      await submit(a, 4);
      await submit(b, 2);
      await submit(c, 3);
      assert.deepEqual(await drain(), [a, b, c, a, b, c, a, c, a]);
    });

    it('gives an idle account no credit', async () => {
      const [busy, idle] = [await account(), await account()];
      await submit(busy, 30);
      assert.equal((await drain()).length, 30);
      await submit(busy, 3);
      await submit(idle, 3);
      const order = await drain();
      assert.deepEqual(
        order.map((id) => (id === idle ? 'idle' : 'busy')),
        ['idle', 'busy', 'idle', 'busy', 'idle', 'busy'],
      );
    });

    it('gives several workers jobs of different accounts', async () => {
      const [a, b, c] = [await account(), await account(), await account()];
      await submit(a, 10);
      await submit(b, 1);
      await submit(c, 1);
      const jobs = await lease(3);
      assert.deepEqual(
        jobs.map(({ key }) => uploaders.get(key)),
        [a, b, c],
      );
      for (const job of jobs) await rig.queue.complete(job);
      await drain();
    });

    it('keeps the order of a job that was released', async () => {
      const [a, b] = [await account(), await account()];
      const [first] = await submit(a, 1);
      const [job = assert.fail()] = await lease(1);
      await submit(b, 3);
      await rig.queue.release(job);
      const [again = assert.fail()] = await lease(1);
      assert.equal(again.key, first);
      await rig.queue.complete(again);
      await drain();
    });

    it('keeps the order of a job that is retried', async () => {
      const [a, b] = [await account(), await account()];
      const [first] = await submit(a, 1);
      const [job = assert.fail()] = await lease(1);
      await rig.queue.retry(job, 'crashed');
      await submit(b, 3);
      await rig.passRetryDelay();
      const [again = assert.fail()] = await lease(1);
      assert.equal(again.key, first);
      await rig.queue.complete(again);
      await drain();
    });

    it('gives each job its own start tag if one account adds many at once', async () => {
      const [a, b] = [await account(), await account()];
      await Promise.all(Array.from({ length: 8 }, () => submit(a, 1)));
      await submit(b, 2);
      const order = await drain();
      assert.deepEqual([order.indexOf(b), order.lastIndexOf(b), order.length], [1, 3, 10]);
    });
  });
}
