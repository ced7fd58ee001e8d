import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SqliteRunner } from '../../src/storage/sqlite/runner.ts';
import { Slices } from '../../src/storage/sqlite/slices.ts';
import type { UnitOfWork } from '../../src/storage/units/unit-of-work.ts';
import { openMemoryDatabase } from '../empty-store.ts';

interface Batches {
  /** The number of calls in each batch so far. */
  readonly sizes: readonly number[];
  call(): Promise<unknown>;
}

async function withBatches(check: (batches: Batches) => Promise<void>): Promise<void> {
  let ms = 0;
  const now = () => {
    ms += 1;
    return ms;
  };
  const runner = new SqliteRunner(openMemoryDatabase(), { slices: new Slices(now) });
  const sizes: number[] = [];
  // biome-ignore lint/correctness/useYield: a unit without statements.
  const unit = function* (calls: readonly string[]): UnitOfWork<readonly string[]> {
    sizes.push(calls.length);
    return calls;
  };
  await check({ sizes, call: () => runner.batchWrite(unit, 'call') });
  await runner.close();
}

describe('a group commit', () => {
  it('contains the calls of successive turns', () =>
    withBatches(async ({ sizes, call }) => {
      const first = [call(), call()];
      await nextTurn();
      await Promise.all([...first, call()]);
      assert.deepEqual(sizes, [3]);
    }));

  it('waits for further calls after one that had several', () =>
    withBatches(async ({ sizes, call }) => {
      await Promise.all([call(), call()]);
      const next = call();
      await nextTurn();
      await Promise.all([next, call()]);
      assert.deepEqual(sizes, [2, 2]);
    }));

  it('of a single caller follows its turn', () =>
    withBatches(async ({ sizes, call }) => {
      const first = call();
      await nextTurn();
      assert.deepEqual(sizes, [1]);
      await first;
    }));

  it('follows the first turn without a call', () =>
    withBatches(async ({ sizes, call }) => {
      const both = [call(), call()];
      for (let turn = 0; turn < 2; turn += 1) await nextTurn();
      assert.deepEqual(sizes, [2]);
      await Promise.all(both);
    }));

  it('is not put off for long by a call in each turn', () =>
    withBatches(async ({ sizes, call }) => {
      const calls: Promise<unknown>[] = [];
      for (let turn = 0; turn < 50; turn += 1) {
        calls.push(call());
        await nextTurn();
      }
      await Promise.all(calls);
      assert.ok(Math.max(...sizes) <= 10, `batches of ${sizes}`);
    }));
});
