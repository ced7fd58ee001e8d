import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BuildQueue } from './build-queue.ts';

interface Job {
  readonly accountId: string;
  readonly name: string;
}

function queueOf(...names: readonly string[]): BuildQueue<Job> {
  const queue = new BuildQueue<Job>(32);
  for (const name of names) queue.add({ accountId: name.charAt(0), name });
  return queue;
}

describe('the queue of builds', () => {
  it('lets an account wait for others while it has a running build', () => {
    const queue = queueOf('a1', 'a2', 'a3', 'b1', 'c1');
    const running: Job[] = [];
    const started: (string | undefined)[] = [];
    for (let round = 0; round < 6; round += 1) {
      const job = queue.take(running);
      started.push(job?.name);
      if (job !== undefined) running.push(job);
      // Two at a time.
      if (running.length === 2) running.shift();
    }
    assert.deepEqual(started, ['a1', 'b1', 'a2', 'c1', 'a3', undefined]);
  });

  it('starts several of one account if nobody else waits', () => {
    const queue = queueOf('a1', 'a2');
    assert.equal(queue.take([{ accountId: 'a' }])?.name, 'a1');
    assert.equal(queue.take([{ accountId: 'a' }])?.name, 'a2');
  });

  it('forgets those that are cancelled', () => {
    const queue = new BuildQueue<Job>(2);
    const job = { accountId: 'a', name: 'a1' };
    queue.add(job);
    queue.add({ ...job, name: 'a2' });
    assert.equal(queue.isFull, true);
    assert.equal(queue.remove(job), true);
    assert.equal(queue.remove(job), false);
    assert.equal(queue.isFull, false);
    assert.deepEqual(
      queue.removeAll().map(({ name }) => name),
      ['a2'],
    );
    assert.equal(queue.take([]), undefined);
  });
});
