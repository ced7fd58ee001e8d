import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '../../domain/problem.ts';
import type { UnitOfMany, UnitOfWork } from '../unit-of-work.ts';
import { Gatherer, MOST_WAITING } from './gatherer.ts';

const echo: UnitOfMany<unknown, unknown> = function* (inputs): UnitOfWork<readonly unknown[]> {
  yield { changed: 'a feed' };
  return inputs;
};

/** What `echo` gives. */
function resultsOf(work: () => UnitOfWork<readonly unknown[]>): readonly unknown[] {
  const unit = work();
  unit.next([]);
  const turn = unit.next([]);
  return turn.done ? turn.value : assert.fail();
}

describe('a gatherer', () => {
  it('refuses at once what would wait behind very many, and answers all others in order', async () => {
    const { promise: hanging, resolve: goOn } = Promise.withResolvers<void>();
    const perform = async (work: () => UnitOfWork<readonly unknown[]>) => {
      await hanging;
      return resultsOf(work);
    };
    const gatherer = new Gatherer(echo, { perform, performApart: perform, atOnce: 1 });
    const first = gatherer.add('first', 'one feed');
    await nextTurn();
    const waiting = Array.from({ length: MOST_WAITING }, (_, number) =>
      gatherer.add(number, 'one feed'),
    );
    await assert.rejects(gatherer.add('late', 'one feed'), { code: 'unavailable' });
    goOn();
    assert.equal(await first, 'first');
    assert.deepEqual(
      await Promise.all(waiting),
      waiting.map((_, number) => number),
    );
    assert.equal(await gatherer.add('afterwards', 'one feed'), 'afterwards');
  });

  it('hands on the next batch before the callers of the last one go on', async () => {
    const told: string[] = [];
    const { promise: hanging, resolve: goOn } = Promise.withResolvers<void>();
    const perform = async (work: () => UnitOfWork<readonly unknown[]>) => {
      const results = resultsOf(work);
      told.push(`asked ${results}`);
      await hanging;
      return results;
    };
    const gatherer = new Gatherer(echo, { perform, performApart: perform, atOnce: 1 });
    const call = (name: string) =>
      gatherer.add(name, 'one feed').then(() => told.push(`answered ${name}`));
    const calls = [call('one')];
    await nextTurn();
    calls.push(call('two'), call('three'));
    goOn();
    await Promise.all(calls);
    assert.deepEqual(told.slice(0, 2), ['asked one', 'asked two,three']);
    assert.equal(told.length, 5);
  });

  it('lets others go on where one of them waits for what is locked', async () => {
    const { promise: locked, resolve: unlock } = Promise.withResolvers<void>();
    const asked: string[] = [];
    const perform = async (work: () => UnitOfWork<readonly unknown[]>) => {
      const results = resultsOf(work);
      asked.push(`together ${results}`);
      const cause = Object.assign(new Error(), { code: '55P03', severity: 'ERROR' });
      if (results.some((name) => String(name).startsWith('locked')))
        throw new Problem('unavailable', { cause, retryAfterSeconds: 1 });
      return results;
    };
    const performApart = async (work: () => UnitOfWork<readonly unknown[]>) => {
      const results = resultsOf(work);
      asked.push(`apart ${results}`);
      if (results.some((name) => String(name).startsWith('locked'))) await locked;
      return results;
    };
    const gatherer = new Gatherer(echo, { perform, performApart, atOnce: 1 });
    const call = (name: string) => gatherer.add(name, name.split(' ')[0] ?? '');
    const [stuck, free] = [call('locked 1'), call('free 1')];
    assert.equal(await free, 'free 1');
    const later = [call('locked 2'), call('locked 3')];
    // Where one is known to be waited for, the others no longer meet it.
    assert.equal(await call('free 2'), 'free 2');
    unlock();
    assert.deepEqual(await Promise.all([stuck, ...later]), ['locked 1', 'locked 2', 'locked 3']);
    assert.deepEqual(asked, [
      'together locked 1,free 1',
      'apart locked 1',
      'apart free 1',
      'together free 2',
      'apart locked 2,locked 3',
    ]);
  });
});
