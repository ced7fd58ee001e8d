import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { daysUpTo, usageStart } from './usage.ts';

describe('the days of a usage', () => {
  const now = new Date('2026-03-01T00:00:00Z');

  it('end with the current UTC day, oldest first', () => {
    assert.deepEqual(daysUpTo(now, 3), ['2026-02-27', '2026-02-28', '2026-03-01']);
  });

  it('start so many days before', () => {
    assert.equal(usageStart(now, 1), '2026-03-01');
    assert.equal(usageStart(now, 90), daysUpTo(now, 90)[0]);
  });
});
