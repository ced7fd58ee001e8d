import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { daysUpTo, firstDay } from './utc-days.ts';

describe('the days up to the current one', () => {
  const now = new Date('2026-03-01T00:00:00Z');

  it('end with the current UTC day, oldest first', () => {
    assert.deepEqual(daysUpTo(now, 3), ['2026-02-27', '2026-02-28', '2026-03-01']);
  });

  it('start so many days before', () => {
    assert.equal(firstDay(now, 1), '2026-03-01');
    assert.equal(firstDay(now, 90), daysUpTo(now, 90)[0]);
  });
});
