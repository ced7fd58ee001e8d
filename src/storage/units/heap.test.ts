import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Heap } from './heap.ts';

describe('a heap', () => {
  it('yields its items in order, even when the first one changes', () => {
    const piles = Array.from({ length: 50 }, (_, pile) =>
      Array.from({ length: pile % 7 }, (_, index) => ((pile * 31) % 17) + index * 5),
    );
    const filled = piles.filter((pile) => pile.length > 0);
    const heap = new Heap(filled, (one, other) => Number(one[0]) < Number(other[0]));
    const expected = piles.flat().toSorted((one, other) => one - other);
    const taken: number[] = [];
    for (let pile = heap.first; pile !== undefined; pile = heap.first) {
      taken.push(Number(pile.shift()));
      if (pile.length === 0) heap.removeFirst();
      else heap.settleFirst();
    }
    assert.deepEqual(taken, expected);
  });

  it('has no first item when it is empty', () => {
    const heap = new Heap<number>([], () => false);
    heap.removeFirst();
    assert.equal(heap.first, undefined);
  });
});
