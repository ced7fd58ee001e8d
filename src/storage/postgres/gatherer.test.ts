import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UnitOfMany, UnitOfWork } from '../unit-of-work.ts';
import { Gatherer, MOST_WAITING } from './gatherer.ts';

const echo: UnitOfMany<unknown, unknown> = function* (inputs): UnitOfWork<readonly unknown[]> {
  yield { changed: 'a feed' };
  return inputs;
};

describe('a gatherer', () => {
  it('refuses at once what would wait behind very many, and answers all others in order', async () => {
    const { promise: hanging, resolve: goOn } = Promise.withResolvers<void>();
    const perform = async (work: () => UnitOfWork<readonly unknown[]>) => {
      await hanging;
      const unit = work();
      unit.next([]);
      const turn = unit.next([]);
      return turn.done ? turn.value : assert.fail();
    };
    const gatherer = new Gatherer(echo, { perform, atOnce: 1 });
    const first = gatherer.add('first');
    await nextTurn();
    const waiting = Array.from({ length: MOST_WAITING }, (_, number) => gatherer.add(number));
    await assert.rejects(gatherer.add('late'), { code: 'unavailable' });
    goOn();
    assert.equal(await first, 'first');
    assert.deepEqual(
      await Promise.all(waiting),
      waiting.map((_, number) => number),
    );
    assert.equal(await gatherer.add('afterwards'), 'afterwards');
  });
});
