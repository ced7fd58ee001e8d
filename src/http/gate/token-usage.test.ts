import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TokenUsage } from './token-usage.ts';

/** A fake store that records the token uses it receives. */
function tokens() {
  const touched: (readonly [string, Date])[][] = [];
  return {
    touched,
    touch: async (uses: ReadonlyMap<string, Date>) => void touched.push([...uses]),
  };
}

const first = new Date('2026-08-26T10:00:00Z');
const second = new Date('2026-08-26T10:00:01Z');

describe('the uses of tokens', () => {
  it('are written with the last time of each', async () => {
    const [uses, store] = [new TokenUsage(), tokens()];
    uses.record('t1', first);
    uses.record('t2', first);
    uses.record('t1', second);
    await uses.write(store);
    assert.deepEqual(store.touched, [
      [
        ['t1', second],
        ['t2', first],
      ],
    ]);
  });

  it('are written once', async () => {
    const [uses, store] = [new TokenUsage(), tokens()];
    uses.record('t1', first);
    await uses.write(store);
    await uses.write(store);
    assert.equal(store.touched.length, 1);
  });

  it('make no call to the store if there are none', async () => {
    const [uses, store] = [new TokenUsage(), tokens()];
    await uses.write(store);
    assert.deepEqual(store.touched, []);
  });

  it('that are recorded during a write are part of the next one', async () => {
    const [uses, store] = [new TokenUsage(), tokens()];
    uses.record('t1', first);
    const written = uses.write(store);
    uses.record('t1', second);
    await written;
    await uses.write(store);
    assert.deepEqual(store.touched, [[['t1', first]], [['t1', second]]]);
  });
});
