import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Recent } from './recent.ts';

/** Somebody who answers with the number of the question, when the test says so. */
function stage(patienceMs = 60_000) {
  let now = 1000;
  const asked: PromiseWithResolvers<number>[] = [];
  const ask = () => {
    const question = Promise.withResolvers<number>();
    asked.push(question);
    return question.promise;
  };
  const recent = new Recent(ask, { freshMs: 5000, patienceMs, now: () => now });
  return {
    recent,
    asked,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe('a recent answer', () => {
  it('is asked for once by all who want it at the same time', async () => {
    const { recent, asked } = stage();
    const answers = Promise.all([recent.read(), recent.read(), recent.read()]);
    assert.equal(asked.length, 1);
    asked[0]?.resolve(7);
    assert.deepEqual(await answers, [7, 7, 7]);
  });

  it('is given again while it is fresh, and asked for anew after that', async () => {
    const { recent, asked, pass } = stage();
    const first = recent.read();
    asked[0]?.resolve(1);
    await first;
    pass(4999);
    assert.equal(await recent.read(), 1);
    assert.equal(asked.length, 1);
    pass(1);
    const second = recent.read();
    asked[1]?.resolve(2);
    assert.equal(await second, 2);
  });

  it('is none where there is none to be had, which is not asked about at once again', async () => {
    const { recent, asked, pass } = stage();
    const failing = recent.read();
    asked[0]?.reject(new Error('the store is away'));
    assert.equal(await failing, undefined);
    assert.equal(await recent.read(), undefined);
    assert.equal(asked.length, 1);
    pass(5000);
    const later = recent.read();
    asked[1]?.resolve(2);
    assert.equal(await later, 2);
  });

  it('is not waited for longer than a moment, nor asked for again before it is there', async () => {
    const { recent, asked, pass } = stage(1);
    assert.equal(await recent.read(), undefined);
    pass(60_000);
    assert.equal(await recent.read(), undefined);
    assert.equal(asked.length, 1);
  });

  it('never gives an answer from before for one that is late', async () => {
    const { recent, asked, pass } = stage(1);
    const first = recent.read();
    asked[0]?.resolve(1);
    assert.equal(await first, 1);
    pass(5000);
    assert.equal(await recent.read(), undefined);
    asked[1]?.resolve(2);
    assert.equal(await recent.read(), 2);
  });
});
