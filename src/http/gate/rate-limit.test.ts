import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AccountRate } from './account-rates.ts';
import { paceBatch } from './rate-limit.ts';

async function* groupsOf(...groups: readonly (readonly number[])[]) {
  yield* groups;
}

const lines = (count: number) => Array.from({ length: count }, (_, line) => line);

describe('a batch', () => {
  it('continues group by group if no limit is reached', async () => {
    const { signal } = new AbortController();
    for (const rate of [
      new AccountRate(undefined, 1, () => 0),
      new AccountRate(60, 1000, () => 0),
    ]) {
      const given = paceBatch(groupsOf(lines(500), lines(3)), rate, { accountId: 'a' }, signal);
      const sizes = (await Array.fromAsync(given)).map((group) => group.length);
      assert.deepEqual(sizes, [500, 3]);
    }
  });

  it('continues in small groups once the limit is reached, and loses no line', async () => {
    const { signal } = new AbortController();
    // One millisecond per line.
    const rate = new AccountRate(60_000, 4, () => performance.now());
    const given = paceBatch(groupsOf(lines(10), lines(1100)), rate, { accountId: 'a' }, signal);
    const groups = await Array.fromAsync(given);
    assert.equal(groups.flat().length, 1110);
    assert.ok(groups.every((group) => group.length <= 1000));
    assert.deepEqual(groups.flat().slice(10), lines(1100));
  });

  it('ends when the client disconnects', async () => {
    const controller = new AbortController();
    const rate = new AccountRate(1, 1, () => 0);
    const given = paceBatch(groupsOf(lines(3)), rate, { accountId: 'a' }, controller.signal);
    assert.deepEqual((await given.next()).value, [0]);
    const next = given.next();
    controller.abort();
    assert.equal((await next).done, true);
  });
});
