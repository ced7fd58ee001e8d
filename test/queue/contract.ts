import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ClaimWish, Queue } from '../../src/ports/queue.ts';

export interface QueueBench {
  /** Two ways to the same jobs, as two processes have them. */
  readonly queues: readonly [Queue, Queue];
  /** Adds a job that is due from then on. */
  add(key: string, at: Date): Promise<void>;
  /** Removes all jobs. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

const START = Date.parse('2026-08-26T10:00:00.000Z');
const LEASE_MS = 10_000;
const at = (seconds: number) => new Date(START + seconds * 1000);
const wish = (seconds: number, limit = 10): ClaimWish => ({
  limit,
  leaseMs: LEASE_MS,
  now: at(seconds),
});

/** What every queue must do. Each database calls this with a way to open one. */
export function queueContract(name: string, open: () => Promise<QueueBench>): void {
  describe(`${name} queue`, () => {
    let bench: QueueBench;
    let queue: Queue;
    let other: Queue;
    before(async () => {
      bench = await open();
      [queue, other] = bench.queues;
    });
    after(() => bench.close());

    async function withJobs(...keys: string[]): Promise<void> {
      await bench.clear();
      for (const [place, key] of keys.entries()) await bench.add(key, at(place - keys.length));
    }

    async function keysAt(seconds: number, limit?: number): Promise<string[]> {
      return (await queue.claim('analyse', wish(seconds, limit))).map(({ key }) => key);
    }

    async function claimOne(seconds: number) {
      const [job] = await queue.claim('analyse', wish(seconds, 1));
      return job ?? assert.fail('nothing was due');
    }

    it('gives out the oldest first, and no more than is wished', async () => {
      await withJobs('b', 'c', 'a');
      assert.deepEqual(await keysAt(0, 2), ['b', 'c']);
      assert.deepEqual(await keysAt(0, 2), ['a']);
      assert.deepEqual(await keysAt(0, 2), []);
    });

    it('gives out nothing before it is due', async () => {
      await withJobs('a');
      await queue.retry(await claimOne(0), at(5), 'crashed');
      assert.deepEqual(await keysAt(4.999), []);
      assert.deepEqual(await keysAt(5), ['a']);
    });

    it('does not let a job wait for a clock that was set back', async () => {
      await bench.clear();
      await bench.add('a', at(3600));
      assert.deepEqual(await keysAt(0), ['a']);
    });

    it('does not believe a lease of a clock that was set back', async () => {
      await withJobs('a');
      assert.deepEqual(await keysAt(3600), ['a']);
      assert.deepEqual(await keysAt(0), ['a']);
      assert.deepEqual(await keysAt(1), [], 'this one is of the clock as it is now');
    });

    it('gives each job to one of two that claim at once', async () => {
      const keys = Array.from({ length: 40 }, (_, place) => `job ${place}`);
      await withJobs(...keys);
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, turn) =>
          (turn % 2 ? queue : other).claim('analyse', wish(0, 3)),
        ),
      );
      const claimed = claims.flat().map(({ key }) => key);
      assert.deepEqual(claimed.sort(), keys.sort());
    });

    it('counts the attempts', async () => {
      await withJobs('a');
      assert.equal((await claimOne(0)).attempt, 1);
      assert.equal((await claimOne(10)).attempt, 2);
      assert.equal((await claimOne(20)).attempt, 3);
    });

    it('gives a job out again when its lease has run out, and not before', async () => {
      await withJobs('a');
      assert.deepEqual(await keysAt(0), ['a']);
      assert.deepEqual(await keysAt(9.999), []);
      assert.deepEqual(await keysAt(10), ['a']);
    });

    it('takes nothing more from whoever has lost the lease', async () => {
      await withJobs('a');
      const [lost, held] = [await claimOne(0), await claimOne(10)];
      assert.equal(await queue.extend(lost, at(60)), false);
      assert.equal(await queue.retry(lost, at(60), 'late'), false);
      assert.equal(await queue.release(lost), false);
      assert.equal(await queue.complete(lost), false);
      assert.equal(await other.complete(held), true);
    });

    it('keeps a job for whoever is late while nobody else has taken it', async () => {
      await withJobs('a');
      assert.equal(await queue.complete(await claimOne(0)), true);
      assert.deepEqual(await keysAt(60), []);
    });

    it('extends a lease', async () => {
      await withJobs('a');
      const job = await claimOne(0);
      assert.equal(await queue.extend(job, at(30)), true);
      assert.deepEqual(await keysAt(29), []);
      assert.deepEqual(await keysAt(30), ['a']);
    });

    it('forgets a job that is done, once', async () => {
      await withJobs('a');
      const job = await claimOne(0);
      assert.equal(await queue.complete(job), true);
      assert.equal(await queue.complete(job), false);
      assert.deepEqual(await keysAt(60), []);
    });

    it('gives a job that is to be tried again out when its time has come', async () => {
      await withJobs('a');
      const job = await claimOne(0);
      assert.equal(await queue.retry(job, at(40), 'crashed'), true);
      assert.equal(await queue.complete(job), false, 'it is nobody’s now');
      assert.deepEqual(await keysAt(39), []);
      assert.equal((await claimOne(40)).attempt, 2);
    });

    it('does not count an attempt that was given back', async () => {
      await withJobs('a');
      const job = await claimOne(0);
      assert.equal(await queue.release(job), true);
      assert.equal(await queue.release(job), false);
      const again = await claimOne(0);
      assert.equal(again.attempt, 1);
      assert.equal(await queue.complete(job), false, 'the first claim is over');
      assert.equal(await queue.complete(again), true);
    });

    it('gives a job that was given back out when its time has come', async () => {
      await withJobs('a');
      assert.equal(await queue.release(await claimOne(0), at(5)), true);
      assert.deepEqual(await keysAt(4.999), []);
      assert.equal((await claimOne(5)).attempt, 1);
    });

    it('has one job for a key', async () => {
      await withJobs('a', 'a');
      assert.deepEqual(await keysAt(0), ['a']);
    });

    it('tells how many wait or run', async () => {
      await withJobs('a', 'b', 'c');
      assert.equal(await queue.depth('analyse'), 3);
      const job = await claimOne(0);
      assert.equal(await queue.depth('analyse'), 3);
      await queue.complete(job);
      assert.equal(await other.depth('analyse'), 2);
    });
  });
}
