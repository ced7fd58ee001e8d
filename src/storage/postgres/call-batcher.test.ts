import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '../../domain/problem.ts';
import { announce } from '../units/effects.ts';
import type { BatchUnit } from '../units/runner.ts';
import type { UnitOfWork } from '../units/unit-of-work.ts';
import { CallBatcher, MAX_PENDING } from './call-batcher.ts';

const echo: BatchUnit<unknown, unknown> = function* (inputs): UnitOfWork<readonly unknown[]> {
  yield* announce('a feed');
  return inputs;
};

/** The results of `echo`. */
function resultsOf(work: () => UnitOfWork<readonly unknown[]>): readonly unknown[] {
  const unit = work();
  unit.next([]);
  const result = unit.next([]);
  return result.done ? result.value : assert.fail();
}

describe('a call batcher', () => {
  it('refuses calls beyond its limit at once, and answers all others in order', async () => {
    const { promise: hanging, resolve: release } = Promise.withResolvers<void>();
    const perform = async (work: () => UnitOfWork<readonly unknown[]>) => {
      await hanging;
      return resultsOf(work);
    };
    const batcher = new CallBatcher(echo, { perform, performIsolated: perform, concurrency: 1 });
    const first = batcher.add('first', 'one feed');
    await nextTurn();
    const waiting = Array.from({ length: MAX_PENDING }, (_, number) =>
      batcher.add(number, 'one feed'),
    );
    await assert.rejects(batcher.add('late', 'one feed'), { code: 'unavailable' });
    release();
    assert.equal(await first, 'first');
    assert.deepEqual(
      await Promise.all(waiting),
      waiting.map((_, number) => number),
    );
    assert.equal(await batcher.add('afterwards', 'one feed'), 'afterwards');
  });

  it('starts the next batch before the callers of the last one continue', async () => {
    const log: string[] = [];
    const { promise: hanging, resolve: release } = Promise.withResolvers<void>();
    const perform = async (work: () => UnitOfWork<readonly unknown[]>) => {
      const results = resultsOf(work);
      log.push(`ran ${results}`);
      await hanging;
      return results;
    };
    const batcher = new CallBatcher(echo, { perform, performIsolated: perform, concurrency: 1 });
    const call = (name: string) =>
      batcher.add(name, 'one feed').then(() => log.push(`answered ${name}`));
    const calls = [call('one')];
    await nextTurn();
    calls.push(call('two'), call('three'));
    release();
    await Promise.all(calls);
    assert.deepEqual(log.slice(0, 2), ['ran one', 'ran two,three']);
    assert.equal(log.length, 5);
  });

  it('runs calls for other rows while one row is locked', async () => {
    const { promise: locked, resolve: unlock } = Promise.withResolvers<void>();
    const log: string[] = [];
    const perform = async (work: () => UnitOfWork<readonly unknown[]>) => {
      const results = resultsOf(work);
      log.push(`batch ${results}`);
      const cause = Object.assign(new Error(), { code: '55P03', severity: 'ERROR' });
      if (results.some((name) => String(name).startsWith('locked')))
        throw new Problem('unavailable', { cause, retryAfterSeconds: 1 });
      return results;
    };
    const performIsolated = async (work: () => UnitOfWork<readonly unknown[]>) => {
      const results = resultsOf(work);
      log.push(`isolated ${results}`);
      if (results.some((name) => String(name).startsWith('locked'))) await locked;
      return results;
    };
    const batcher = new CallBatcher(echo, { perform, performIsolated, concurrency: 1 });
    const call = (name: string) => batcher.add(name, name.split(' ')[0] ?? '');
    const [stuck, free] = [call('locked 1'), call('free 1')];
    assert.equal(await free, 'free 1');
    const later = [call('locked 2'), call('locked 3')];
    // Later batches do not contain calls for the locked row.
    assert.equal(await call('free 2'), 'free 2');
    unlock();
    assert.deepEqual(await Promise.all([stuck, ...later]), ['locked 1', 'locked 2', 'locked 3']);
    assert.deepEqual(log, [
      'batch locked 1,free 1',
      'isolated locked 1',
      'isolated free 1',
      'batch free 2',
      'isolated locked 2,locked 3',
    ]);
  });
});
