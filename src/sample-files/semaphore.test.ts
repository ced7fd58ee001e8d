import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Semaphore } from './semaphore.ts';

/** Starts that many tasks, each of which runs until its entry of `ends` is called. */
function begin(semaphore: Semaphore, count: number) {
  const ends: (() => void)[] = [];
  const all = Array.from({ length: count }, (_, at) =>
    semaphore.run(() => new Promise<number>((resolve) => ends.push(() => resolve(at)))),
  );
  return { ends, all };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a semaphore', () => {
  it('runs no more tasks at once than it permits, and all of them in the end', async () => {
    const { ends, all } = begin(new Semaphore(2), 5);
    for (const running of [2, 3, 4, 5]) {
      await settle();
      assert.equal(ends.length, running);
      ends[running - 2]?.();
    }
    ends.at(-1)?.();
    assert.deepEqual(await Promise.all(all), [0, 1, 2, 3, 4]);
  });

  it('is free again after a task that fails', async () => {
    const semaphore = new Semaphore(1);
    await assert.rejects(
      semaphore.run(() => Promise.reject(new Error('x'))),
      /x/,
    );
    assert.equal(await semaphore.run(async () => 'free'), 'free');
  });
});
