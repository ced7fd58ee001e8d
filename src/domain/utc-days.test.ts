import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dayOf, daysUpTo, firstDay, parseDay } from './utc-days.ts';

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

describe('a day as text', () => {
  it('is the UTC day of a time', () => {
    assert.equal(dayOf(new Date('2026-03-01T23:59:59.999Z')), '2026-03-01');
  });

  it('is read if that day exists', () => {
    assert.equal(parseDay('2028-02-29'), '2028-02-29');
  });

  it('is refused in another form and for a day that does not exist', () => {
    for (const text of ['', '2026-3-1', '2026-03-01T00:00:00Z', '2026-02-30', '2026-13-01']) {
      assert.equal(parseDay(text), undefined, text);
    }
  });
});
