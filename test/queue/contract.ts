import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ClaimWish, Queue } from '../../src/ports/queue.ts';

export interface QueueBench {
  /** Two ways to the same jobs, as two processes have them. */
  readonly queues: readonly [Queue, Queue];
  /** Sets the clock of the process, and that of the database where it has one of its own. */
  setTime(at: Date): Promise<void>;
  /** Adds a job at that time, from which on it is due. */
  add(key: string, at: Date): Promise<void>;
  /** Adds it in a transaction that fails afterwards. */
  addInVain(key: string, at: Date): Promise<void>;
  remove(key: string): Promise<void>;
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
      await bench.setTime(at(seconds));
      return (await queue.claim('analyse', wish(seconds, limit))).map(({ key }) => key);
    }

    async function claimOne(seconds: number, claimer = queue) {
      await bench.setTime(at(seconds));
      const [job] = await claimer.claim('analyse', wish(seconds, 1));
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

    it('takes whatever is said of what went wrong', async () => {
      await withJobs('a');
      assert.equal(await queue.retry(await claimOne(0), at(5), 'a zero \0, half \ud800'), true);
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
      await bench.setTime(at(0));
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
      const job = await claimOne(0);
      await bench.setTime(at(60));
      assert.equal(await queue.extend(job, at(70)), true);
      assert.deepEqual(await keysAt(69), []);
      await bench.setTime(at(80));
      assert.equal(await queue.complete(job), true);
      assert.deepEqual(await keysAt(80), []);
    });

    it('gives a job whose lease ran out to another process', async () => {
      await withJobs('a', 'b');
      const [lost, kept] = [await claimOne(0), await claimOne(5)];
      const taken = await claimOne(10, other);
      assert.deepEqual([taken.key, taken.attempt], ['a', 2]);
      assert.equal(await queue.complete(lost), false);
      assert.equal(await queue.complete(kept), true);
      assert.equal(await other.complete(taken), true);
    });

    it('takes back no more than is wished', async () => {
      await withJobs('a', 'b', 'c');
      await bench.setTime(at(0));
      const [, , last = assert.fail()] = await queue.claim('analyse', wish(0));
      await bench.setTime(at(10));
      const taken = await other.claim('analyse', wish(10, 2));
      assert.deepEqual(
        taken.map(({ key }) => key),
        ['a', 'b'],
      );
      assert.equal(await queue.extend(last, at(20)), true, 'nobody else has taken it');
      assert.deepEqual(await keysAt(10), []);
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

    it('counts the attempts on after one that was given back', async () => {
      await withJobs('a');
      await queue.release(await claimOne(0));
      await queue.retry(await claimOne(1), at(2), 'crashed');
      await queue.release(await claimOne(2));
      assert.equal((await claimOne(3)).attempt, 2);
      assert.equal((await claimOne(13)).attempt, 3);
    });

    it('has one job for a key', async () => {
      await withJobs('a', 'a');
      assert.deepEqual(await keysAt(0), ['a']);
    });

    it('adds none for a key whose job is under way, and one after that', async () => {
      await withJobs('a');
      const job = await claimOne(0);
      await bench.add('a', at(1));
      assert.deepEqual(await keysAt(1), []);
      assert.equal(await queue.depth('analyse'), 1);
      await queue.complete(job);
      await bench.add('a', at(2));
      assert.equal((await claimOne(2)).attempt, 1);
    });

    it('has nothing of a transaction that failed', async () => {
      await bench.clear();
      await bench.addInVain('a', at(0));
      assert.deepEqual(await keysAt(0), []);
      assert.equal(await queue.depth('analyse'), 0);
      await bench.add('a', at(0));
      assert.deepEqual(await keysAt(0), ['a'], 'nor does that stand in the way of another');
    });

    it('removes a job, also from whoever works on it', async () => {
      await withJobs('a', 'b');
      const job = await claimOne(0);
      await bench.remove('a');
      assert.equal(await queue.extend(job, at(10)), false);
      assert.equal(await queue.complete(job), false);
      assert.deepEqual(await keysAt(60), ['b']);
    });

    it('tells how many wait or run', async () => {
      await withJobs('a', 'b', 'c');
      assert.equal(await queue.depth('analyse'), 3);
      const job = await claimOne(0);
      assert.equal(await queue.depth('analyse'), 3);
      await queue.complete(job);
      assert.equal(await other.depth('analyse'), 2);
    });

    const backlogAt = async (seconds: number, most = 10) => {
      await bench.setTime(at(seconds));
      return await queue.backlog('analyse', { most, now: at(seconds) });
    };

    it('tells what nobody works on, and since when the oldest of that has been there', async () => {
      await withJobs('a', 'b', 'c');
      assert.deepEqual(await backlogAt(0), { waiting: 3, oldestMs: 3000 });
      await claimOne(0);
      assert.deepEqual(await backlogAt(7), { waiting: 2, oldestMs: 9000 });
      assert.deepEqual(await backlogAt(10), { waiting: 3, oldestMs: 13_000 }, 'its lease is over');
    });

    it('tells that nothing waits', async () => {
      await withJobs('a');
      await claimOne(0);
      assert.deepEqual(await backlogAt(0), { waiting: 0, oldestMs: undefined });
    });

    it('takes a job that is to be tried later for one that waits, and not for a new one', async () => {
      await withJobs('a');
      await queue.retry(await claimOne(0), at(60), 'crashed');
      assert.deepEqual(await backlogAt(5), { waiting: 1, oldestMs: 6000 });
    });

    it('counts no more than is wished, the oldest first', async () => {
      await withJobs('a', 'b', 'c');
      assert.deepEqual(await backlogAt(0, 2), { waiting: 2, oldestMs: 3000 });
    });

    it('takes nothing for older than it is after the clock was set back', async () => {
      await bench.clear();
      await bench.add('a', at(3600));
      assert.deepEqual(await backlogAt(0), { waiting: 1, oldestMs: 0 });
    });
  });
}
