import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AccountRate } from './account-rates.ts';

/** 60 a minute is one a second. */
function rateOf(burst: number) {
  let now = 0;
  const rate = new AccountRate(60, burst, () => now);
  return { rate, pass: (ms: number) => (now += ms) };
}

describe('the rate of an account', () => {
  it('starts with its full burst, and refuses more', () => {
    const { rate } = rateOf(3);
    assert.deepEqual(rate.take('a'), { isAllowed: true, remaining: 2, resetMs: 1000 });
    assert.deepEqual(rate.take('a'), { isAllowed: true, remaining: 1, resetMs: 2000 });
    assert.deepEqual(rate.take('a'), { isAllowed: true, remaining: 0, resetMs: 1000 });
    assert.deepEqual(rate.take('a'), { isAllowed: false, remaining: 0, resetMs: 1000 });
    assert.equal(rate.take('b').isAllowed, true);
  });

  it('allows its full burst at once if a unit is no whole number of milliseconds', () => {
    for (const [perMinute, burst] of [
      [90, 10],
      [70, 7],
      [7, 1000],
    ] as const)
      for (const now of [0, 1234.567, 86_400_000.123]) {
        const rate = new AccountRate(perMinute, burst, () => now);
        for (let left = burst - 1; left >= 0; left -= 1) {
          const { isAllowed, remaining } = rate.take('a');
          assert.deepEqual([isAllowed, remaining], [true, left], `${perMinute} at ${now}`);
        }
        assert.equal(rate.take('a').isAllowed, false);
      }
  });

  it('refills up to its burst', () => {
    const { rate, pass } = rateOf(2);
    rate.take('a');
    rate.take('a');
    pass(999);
    assert.deepEqual(rate.take('a'), { isAllowed: false, remaining: 0, resetMs: 1 });
    pass(1);
    assert.equal(rate.take('a').isAllowed, true);
    pass(3_600_000);
    assert.equal(rate.peek('a').remaining, 2);
  });

  it('is taken for all units of a call or for none', () => {
    const { rate, pass } = rateOf(5);
    assert.deepEqual(rate.takeAll('a', 3), { isAllowed: true, remaining: 2, resetMs: 3000 });
    assert.deepEqual(rate.takeAll('a', 4), { isAllowed: false, remaining: 2, resetMs: 2000 });
    pass(2000);
    assert.equal(rate.takeAll('a', 4).isAllowed, true);
    assert.equal(rate.peek('a').remaining, 0);
  });

  it('allows a call of more units than its burst when it is full, and then waits for all', () => {
    const { rate, pass } = rateOf(2);
    rate.take('a');
    assert.deepEqual(rate.takeAll('a', 10), { isAllowed: false, remaining: 1, resetMs: 1000 });
    pass(1000);
    assert.equal(rate.takeAll('a', 10).isAllowed, true);
    assert.deepEqual(rate.take('a'), { isAllowed: false, remaining: 0, resetMs: 9000 });
  });

  it('delays reservations one after the other', () => {
    const { rate, pass } = rateOf(2);
    assert.equal(rate.reserve('a', 2), 0);
    assert.equal(rate.reserve('a', 3), 3000);
    assert.equal(rate.reserve('a', 1), 4000);
    assert.equal(rate.peek('a').isAllowed, false);
    pass(5000);
    assert.equal(rate.peek('a').isAllowed, true);
  });

  it('is reserved in portions of the available units, or of one second', () => {
    const { rate } = rateOf(20);
    assert.equal(rate.nextPortion('a'), 20);
    rate.reserve('a', 19);
    assert.equal(rate.nextPortion('a'), 1);
    rate.reserve('a', 5);
    assert.equal(rate.nextPortion('a'), 1);
    assert.equal(new AccountRate(6000, 10, () => 0).nextPortion('a'), 100);
    assert.equal(new AccountRate(6, 1, () => 0).nextPortion('a'), 1);
  });

  it('tracks no more than 10,000 accounts', () => {
    const { rate } = rateOf(1);
    for (let account = 0; account <= 10_000; account += 1) rate.take(`account ${account}`);
    assert.equal(rate.peek('account 0').isAllowed, true, 'the oldest was forgotten');
    assert.equal(rate.peek('account 1').isAllowed, false);
    assert.equal(rate.peek('account 10000').isAllowed, false);
  });

  it('evicts accounts with full buckets first', () => {
    const { rate, pass } = rateOf(1);
    for (let account = 0; account < 9999; account += 1) rate.take(`account ${account}`);
    pass(1000);
    rate.take('recent');
    rate.take('another');
    assert.equal(rate.peek('recent').isAllowed, false);
    assert.equal(rate.peek('another').isAllowed, false);
  });
});

describe('a rate set for one account', () => {
  it('replaces that of the others, and keeps what is used', () => {
    const { rate, pass } = rateOf(4);
    for (let used = 0; used < 4; used += 1) rate.take('a');
    assert.equal(rate.take('a').isAllowed, false);
    const own = { perMinute: 600, burst: 100 };
    assert.deepEqual(rate.take('a', own), { isAllowed: true, remaining: 95, resetMs: 500 });
    pass(500);
    assert.equal(rate.peek('a', own).remaining, 100);
    assert.equal(rate.nextPortion('a', { perMinute: 6000, burst: 1 }), 100);
    assert.equal(rate.reserve('a', 150, own), 5000);
    assert.deepEqual(rate.peek('a'), { isAllowed: false, remaining: 0, resetMs: 1000 });
    pass(15_000);
    assert.equal(rate.peek('a').remaining, 4);
  });

  it('holds where there is no limit for others', () => {
    const rate = new AccountRate(undefined, 1, () => 0);
    const own = { perMinute: 60, burst: 1 };
    assert.equal(rate.rateOf(), undefined);
    assert.deepEqual([rate.take('a').isAllowed, rate.reserve('a', 1000)], [true, 0]);
    assert.deepEqual([rate.take('a', own).isAllowed, rate.take('a', own).isAllowed], [true, false]);
  });
});
