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

  it('hands on the next batch before the callers of the last one go on', async () => {
    const told: string[] = [];
    const { promise: hanging, resolve: goOn } = Promise.withResolvers<void>();
    const perform = async (work: () => UnitOfWork<readonly unknown[]>) => {
      const unit = work();
      unit.next([]);
      const turn = unit.next([]);
      const results = turn.done ? turn.value : assert.fail();
      told.push(`asked ${results}`);
      await hanging;
      return results;
    };
    const gatherer = new Gatherer(echo, { perform, atOnce: 1 });
    const call = (name: string) => gatherer.add(name).then(() => told.push(`answered ${name}`));
    const calls = [call('one')];
    await nextTurn();
    calls.push(call('two'), call('three'));
    goOn();
    await Promise.all(calls);
    assert.deepEqual(told.slice(0, 2), ['asked one', 'asked two,three']);
    assert.equal(told.length, 5);
  });
});
