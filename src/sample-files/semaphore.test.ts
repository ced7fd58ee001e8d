import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Slots } from './slots.ts';

/** So many that begin at once, and end when they are told to. */
function begin(slots: Slots, count: number) {
  const ends: (() => void)[] = [];
  const all = Array.from({ length: count }, (_, at) =>
    slots.use(() => new Promise<number>((resolve) => ends.push(() => resolve(at)))),
  );
  return { ends, all };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('slots', () => {
  it('let no more than so many work at once, and all of them in the end', async () => {
    const { ends, all } = begin(new Slots(2), 5);
    for (const running of [2, 3, 4, 5]) {
      await settle();
      assert.equal(ends.length, running);
      ends[running - 2]?.();
    }
    ends.at(-1)?.();
    assert.deepEqual(await Promise.all(all), [0, 1, 2, 3, 4]);
  });

  it('are free again after work that fails', async () => {
    const slots = new Slots(1);
    await assert.rejects(
      slots.use(() => Promise.reject(new Error('x'))),
      /x/,
    );
    assert.equal(await slots.use(async () => 'free'), 'free');
  });
});
