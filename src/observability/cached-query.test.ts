import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CachedQuery } from './cached-query.ts';

/** A query whose results the test settles. */
function setUp(timeoutMs = 60_000) {
  let now = 1000;
  const runs: PromiseWithResolvers<number>[] = [];
  const run = () => {
    const result = Promise.withResolvers<number>();
    runs.push(result);
    return result.promise;
  };
  const query = new CachedQuery(run, { maxAgeMs: 5000, timeoutMs, now: () => now });
  return {
    query,
    runs,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe('a cached query', () => {
  it('runs once for all concurrent readers', async () => {
    const { query, runs } = setUp();
    const answers = Promise.all([query.read(), query.read(), query.read()]);
    assert.equal(runs.length, 1);
    runs[0]?.resolve(7);
    assert.deepEqual(await answers, [7, 7, 7]);
  });

  it('returns its result again while that is fresh, and runs again after that', async () => {
    const { query, runs, pass } = setUp();
    const first = query.read();
    runs[0]?.resolve(1);
    await first;
    pass(4999);
    assert.equal(await query.read(), 1);
    assert.equal(runs.length, 1);
    pass(1);
    const second = query.read();
    runs[1]?.resolve(2);
    assert.equal(await second, 2);
  });

  it('returns nothing if it fails, and is not repeated at once', async () => {
    const { query, runs, pass } = setUp();
    const failing = query.read();
    runs[0]?.reject(new Error('the store is away'));
    assert.equal(await failing, undefined);
    assert.equal(await query.read(), undefined);
    assert.equal(runs.length, 1);
    pass(5000);
    const later = query.read();
    runs[1]?.resolve(2);
    assert.equal(await later, 2);
  });

  it('is not awaited longer than its timeout, nor run again while it runs', async () => {
    const { query, runs, pass } = setUp(1);
    assert.equal(await query.read(), undefined);
    pass(60_000);
    assert.equal(await query.read(), undefined);
    assert.equal(runs.length, 1);
  });

  it('never returns an outdated result instead of a late one', async () => {
    const { query, runs, pass } = setUp(1);
    const first = query.read();
    runs[0]?.resolve(1);
    assert.equal(await first, 1);
    pass(5000);
    assert.equal(await query.read(), undefined);
    runs[1]?.resolve(2);
    assert.equal(await query.read(), 2);
  });
});
