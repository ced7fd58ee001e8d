import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BadTokens } from './bad-tokens.ts';

const START = Date.parse('2026-08-26T10:00:00Z');

function at(ms: number): Date {
  return new Date(START + ms);
}

/** Counts `count` bad tokens, and returns the result of the last. */
function spend(counts: BadTokens, address: string, times: number, ms = 0): number | undefined {
  let wait: number | undefined;
  for (let time = 0; time < times; time += 1) wait = counts.count(address, at(ms));
  return wait;
}

describe('bad tokens', () => {
  it('are allowed a hundred times a minute', () => {
    const counts = new BadTokens();
    assert.equal(spend(counts, '203.0.113.7', 100), undefined);
    assert.equal(spend(counts, '203.0.113.7', 1), 60);
  });

  it('return the time until the end of the minute', () => {
    const counts = new BadTokens();
    spend(counts, '203.0.113.7', 100);
    assert.equal(spend(counts, '203.0.113.7', 1, 58_001), 2);
    assert.equal(spend(counts, '203.0.113.7', 1, 59_999), 1);
  });

  it('are forgotten after a minute', () => {
    const counts = new BadTokens();
    spend(counts, '203.0.113.7', 101);
    assert.equal(spend(counts, '203.0.113.7', 100, 60_000), undefined);
    assert.equal(spend(counts, '203.0.113.7', 1, 60_000), 60);
  });

  it('of one IPv4 address do not throttle the next address', () => {
    const counts = new BadTokens();
    spend(counts, '203.0.113.7', 101);
    assert.equal(spend(counts, '203.0.113.8', 1), undefined);
    assert.equal(spend(counts, '::ffff:203.0.113.8', 1), undefined);
  });

  for (const [one, other] of [
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['2001:db8::1', '2001:db8:0:0:1::2'],
    ['::1', '::2'],
    ['fe80::1', 'fe80::2'],
  ] as const) {
    it(`of ${one} and ${other} are counted together, being of one /64`, () => {
      const counts = new BadTokens();
      spend(counts, one, 100);
      assert.equal(spend(counts, other, 1), 60);
    });
  }

  for (const [one, other] of [
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['2001:db8::1', '2001:db8:0:1::1'],
    ['::1', '1::'],
  ] as const) {
    it(`of ${one} and ${other} are counted separately`, () => {
      const counts = new BadTokens();
      spend(counts, one, 101);
      assert.equal(spend(counts, other, 1), undefined);
    });
  }

  it('are counted for ten thousand addresses, and the oldest is evicted first', () => {
    const counts = new BadTokens();
    spend(counts, 'oldest', 100);
    spend(counts, 'younger', 100);
    for (let number = 0; number < 9_999; number += 1) counts.count(`address ${number}`, at(0));
    assert.equal(spend(counts, 'younger', 1), 60);
    assert.equal(spend(counts, 'oldest', 1), undefined);
  });
});
