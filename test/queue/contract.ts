import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { QUEUE_POLICIES, type Queue } from '../../src/ports/queue.ts';

export interface QueueRig {
  /** Two connections to the same jobs, as two processes have them. */
  readonly queues: readonly [Queue, Queue];
  /** Sets the clock of the queue: that of the database if it has one. */
  setTime(at: Date): Promise<void>;
  /** Adds a job at that time. */
  add(key: string, at: Date): Promise<void>;
  /** Adds a job in a transaction that is rolled back. */
  addAndRollBack(key: string, at: Date): Promise<void>;
  remove(key: string): Promise<void>;
  /** Does what the queue does by itself every few seconds: it ends lost leases, and counts jobs. */
  supervise(): Promise<void>;
  /** Removes all jobs. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

const START = Date.parse('2026-08-26T10:00:00.000Z');
const HOUR_MS = 3_600_000;
const { heartbeatSeconds, retryDelaySeconds, maxRetryDelaySeconds } = QUEUE_POLICIES.analyse;
/** A lease of second 0 is lost by then. */
const LOST_SECONDS = heartbeatSeconds + 1;
/** Its job is pending by then, with the longest delay of a retry. */
const AFTER_RETRY_SECONDS = LOST_SECONDS + maxRetryDelaySeconds;

/** The contract of every queue. Each database calls this with a function that opens one. */
export function queueContract(name: string, open: () => Promise<QueueRig>): void {
  describe(`${name} queue`, () => {
    let rig: QueueRig;
    let queue: Queue;
    let other: Queue;
    /** Second 0 of the test. The clock of a queue that supervises itself only moves forwards. */
    let start = START;
    before(async () => {
      rig = await open();
      [queue, other] = rig.queues;
    });
    after(() => rig.close());

    const at = (seconds: number) => new Date(start + seconds * 1000);

    async function withJobs(...keys: string[]): Promise<void> {
      await rig.clear();
      start += 3 * HOUR_MS;
      for (const [index, key] of keys.entries()) await rig.add(key, at(index - keys.length));
    }

    async function keysAt(seconds: number, limit = 10): Promise<string[]> {
      await rig.setTime(at(seconds));
      return (await queue.lease('analyse', limit)).map(({ key }) => key);
    }

    async function leaseOne(seconds: number, worker = queue) {
      await rig.setTime(at(seconds));
      const [job] = await worker.lease('analyse', 1);
      return job ?? assert.fail('nothing was due');
    }

    async function superviseAt(seconds: number): Promise<void> {
      await rig.setTime(at(seconds));
      await rig.supervise();
    }

    async function pendingAt(seconds: number): Promise<number> {
      await superviseAt(seconds);
      return await queue.countPending('analyse');
    }

    it('leases the oldest jobs first, and no more than the limit', async () => {
      await withJobs('b', 'c', 'a');
      assert.deepEqual(await keysAt(0, 2), ['b', 'c']);
      assert.deepEqual(await keysAt(0, 2), ['a']);
      assert.deepEqual(await keysAt(0, 2), []);
    });

    it('does not let a new job wait for a clock that was set back', async () => {
      await withJobs();
      await rig.add('a', at(3600));
      assert.deepEqual(await keysAt(0), ['a']);
    });

    it('does not let a released job wait for a clock that was set back', async () => {
      await withJobs('a');
      const job = await leaseOne(3600);
      await rig.setTime(at(7200));
      assert.equal(await queue.release(job), true);
      assert.deepEqual(await keysAt(1800), ['a']);
    });

    it('gives each job to one of two concurrent leases', async () => {
      const keys = Array.from({ length: 40 }, (_, index) => `job ${index}`);
      await withJobs(...keys);
      await rig.setTime(at(0));
      const leases = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? queue : other).lease('analyse', 3)),
      );
      const leased = leases.flat().map(({ key }) => key);
      assert.deepEqual(leased.sort(), keys.sort());
    });

    it('counts the attempts', async () => {
      await withJobs('a');
      for (const attempt of [1, 2, 3, 4]) {
        const seconds = attempt * 2 * AFTER_RETRY_SECONDS;
        const job = await leaseOne(seconds);
        assert.equal(job.attempt, attempt);
        await queue.retry(job, 'crashed');
      }
    });

    it('keeps a lease whose last heartbeat is recent', async () => {
      await withJobs('a');
      const job = await leaseOne(0);
      await superviseAt(heartbeatSeconds - 0.1);
      assert.deepEqual(await keysAt(heartbeatSeconds - 0.1), []);
      assert.equal(await queue.heartbeat(job), true);
      await superviseAt(2 * heartbeatSeconds - 1);
      assert.deepEqual(await keysAt(2 * heartbeatSeconds - 1), []);
      assert.equal(await queue.complete(job), true);
    });

    it('gives the job of a worker that died to another, within a minute', async () => {
      await withJobs('a', 'b');
      const lost = await leaseOne(0);
      const held = await leaseOne(9);
      await superviseAt(LOST_SECONDS);
      const again = await leaseOne(AFTER_RETRY_SECONDS, other);
      assert.deepEqual([again.key, again.attempt], ['a', 2]);
      assert.equal(await queue.complete(lost), false);
      assert.equal(await queue.complete(held), true);
      assert.equal(await other.complete(again), true);
    });

    it('accepts nothing from a lease that is lost', async () => {
      await withJobs('a');
      const lost = await leaseOne(0);
      await superviseAt(LOST_SECONDS);
      const held = await leaseOne(AFTER_RETRY_SECONDS);
      assert.equal(await queue.heartbeat(lost), false);
      assert.equal(await queue.retry(lost, 'late'), false);
      assert.equal(await queue.release(lost), false);
      assert.equal(await queue.complete(lost), false);
      assert.equal(await other.complete(held), true);
    });

    it('accepts a late heartbeat until the lease is ended', async () => {
      await withJobs('a');
      const job = await leaseOne(0);
      await rig.setTime(at(60));
      assert.equal(await queue.heartbeat(job), true);
      await superviseAt(60 + heartbeatSeconds - 1);
      assert.deepEqual(await keysAt(60 + heartbeatSeconds - 1), []);
      assert.equal(await queue.complete(job), true);
      assert.deepEqual(await keysAt(80), []);
    });

    it('keeps the leases of live workers while others die', async () => {
      await withJobs('a', 'b', 'c');
      const [lost, living, pending] = [await leaseOne(0), await leaseOne(0), await leaseOne(0)];
      await queue.release(pending);
      await rig.setTime(at(heartbeatSeconds - 1));
      assert.equal(await queue.heartbeat(living), true);
      await superviseAt(LOST_SECONDS);
      await rig.setTime(at(LOST_SECONDS));
      assert.equal(await queue.heartbeat(living), true);
      await superviseAt(AFTER_RETRY_SECONDS - 1);
      assert.deepEqual((await keysAt(AFTER_RETRY_SECONDS - 1)).sort(), ['a', 'c']);
      assert.equal(await queue.complete(lost), false);
    });

    it('accepts no heartbeat for a job that is completed or released', async () => {
      await withJobs('a', 'b');
      const [completed, released] = [await leaseOne(0), await leaseOne(0)];
      await queue.complete(completed);
      await queue.release(released);
      assert.equal(await queue.heartbeat(completed), false);
      assert.equal(await queue.heartbeat(released), false);
    });

    it('keeps the order of jobs that were released', async () => {
      await withJobs('a', 'b', 'c');
      const jobs = [await leaseOne(0), await leaseOne(0)];
      for (const job of jobs.toReversed()) await queue.release(job);
      assert.deepEqual(await keysAt(0), ['a', 'b', 'c']);
    });

    it('removes a completed job, once', async () => {
      await withJobs('a');
      const job = await leaseOne(0);
      assert.equal(await queue.complete(job), true);
      assert.equal(await queue.complete(job), false);
      await superviseAt(60);
      assert.deepEqual(await keysAt(60), []);
    });

    it('delays a retry by the policy', async () => {
      await withJobs('a');
      const job = await leaseOne(0);
      assert.equal(await queue.retry(job, 'crashed'), true);
      assert.equal(await queue.complete(job), false, 'the lease is over');
      assert.deepEqual(await keysAt(retryDelaySeconds - 0.1), []);
      const second = await leaseOne(2 * retryDelaySeconds);
      assert.equal(second.attempt, 2);
      await queue.retry(second, 'crashed');
      assert.deepEqual(await keysAt(4 * retryDelaySeconds - 0.1), [], 'the delay has doubled');
      assert.equal((await leaseOne(6 * retryDelaySeconds)).attempt, 3);
    });

    it('delays no retry by more than the maximum', async () => {
      await withJobs('a');
      for (let attempt = 1; attempt <= 6; attempt += 1)
        await queue.retry(await leaseOne(attempt * maxRetryDelaySeconds), 'crashed');
      assert.equal((await leaseOne(7 * maxRetryDelaySeconds)).attempt, 7);
    });

    it('accepts any text as the reason of a failure', async () => {
      await withJobs('a');
      assert.equal(await queue.retry(await leaseOne(0), 'a zero \0, half \ud800'), true);
      assert.deepEqual(await keysAt(2 * retryDelaySeconds), ['a']);
    });

    it('counts no attempt for a lease that was released', async () => {
      await withJobs('a');
      const job = await leaseOne(0);
      assert.equal(await queue.release(job), true);
      assert.equal(await queue.release(job), false);
      const again = await leaseOne(0);
      assert.equal(again.attempt, 1);
      assert.equal(await queue.complete(job), false, 'the first lease is over');
      assert.equal(await queue.complete(again), true);
    });

    it('delays a released job by the requested time', async () => {
      await withJobs('a');
      assert.equal(await queue.release(await leaseOne(0), { delaySeconds: 5 }), true);
      assert.deepEqual(await keysAt(4.999), []);
      assert.equal((await leaseOne(5)).attempt, 1);
    });

    it('counts further attempts after a release', async () => {
      await withJobs('a');
      await queue.release(await leaseOne(0));
      await queue.retry(await leaseOne(1), 'crashed');
      await queue.release(await leaseOne(11));
      assert.equal((await leaseOne(12)).attempt, 2);
      await superviseAt(12 + LOST_SECONDS);
      assert.equal((await leaseOne(12 + AFTER_RETRY_SECONDS)).attempt, 3);
    });

    it('has one job for a key', async () => {
      await withJobs('a', 'a');
      assert.deepEqual(await keysAt(0), ['a']);
    });

    it('adds no second job for a key that is leased, and one after it is completed', async () => {
      await withJobs('a');
      const job = await leaseOne(0);
      await rig.add('a', at(1));
      assert.deepEqual(await keysAt(1), []);
      await queue.complete(job);
      assert.deepEqual(await keysAt(1), []);
      await rig.add('a', at(2));
      assert.equal((await leaseOne(2)).attempt, 1);
    });

    it('adds no second job for a key that was released', async () => {
      await withJobs('a');
      await queue.release(await leaseOne(0));
      await rig.add('a', at(1));
      assert.deepEqual(await keysAt(1), ['a']);
    });

    it('adds no job if the transaction is rolled back', async () => {
      await withJobs();
      await rig.addAndRollBack('a', at(0));
      assert.deepEqual(await keysAt(0), []);
      await rig.add('a', at(0));
      assert.deepEqual(await keysAt(0), ['a'], 'the rollback does not block the key');
    });

    it('removes a job, and ends its lease', async () => {
      await withJobs('a', 'b');
      const job = await leaseOne(0);
      await rig.remove('a');
      assert.equal(await queue.heartbeat(job), false);
      assert.equal(await queue.complete(job), false);
      await superviseAt(60);
      assert.deepEqual(await keysAt(60), ['b']);
    });

    it('removes a job that was released', async () => {
      await withJobs('a');
      await queue.release(await leaseOne(0));
      await rig.remove('a');
      assert.deepEqual(await keysAt(60), []);
    });

    it('counts the jobs that no worker holds', async () => {
      await withJobs('a', 'b', 'c');
      assert.equal(await pendingAt(0), 3);
      await leaseOne(0);
      assert.equal(await pendingAt(2), 2);
      await superviseAt(LOST_SECONDS);
      assert.equal(await pendingAt(LOST_SECONDS + 2), 3, 'the lease is lost');
    });

    it('counts a delayed job as pending', async () => {
      await withJobs('a');
      await queue.retry(await leaseOne(0), 'crashed');
      assert.equal(await pendingAt(1), 1);
    });

    it('counts no job that is leased, completed or removed', async () => {
      await withJobs('a', 'b', 'c');
      await queue.complete(await leaseOne(0));
      await leaseOne(0);
      await rig.remove('c');
      assert.equal(await pendingAt(2), 0);
    });
  });
}
