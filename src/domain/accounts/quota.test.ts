import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always } from '../../../test/always.ts';
import {
  DEFAULT_QUOTA,
  nextQuotaWindow,
  type QuotaUse,
  quotaBalance,
  quotaResetsAt,
  quotaWindow,
  quotaWindowSeconds,
} from './quota.ts';

const moment = fc.date({
  min: new Date('2000-01-01T00:00:00Z'),
  max: new Date('2399-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});
const windowed = fc.constantFrom('day' as const, 'month' as const);

describe('the quota window after the current one', () => {
  it('is the next day or month', () => {
    const now = new Date('2026-12-31T23:59:59.999Z');
    assert.equal(nextQuotaWindow('day', now), '2027-01-01');
    assert.equal(nextQuotaWindow('month', now), '2027-01');
  });

  it('is the same window if the quota never resets', () => {
    assert.equal(nextQuotaWindow('none', new Date('2026-12-31T00:00:00Z')), '');
  });

  it('begins when the current one resets', () => {
    always(
      fc.property(moment, windowed, (now, period) => {
        const reset = quotaResetsAt(period, now);
        assert.ok(reset);
        assert.equal(nextQuotaWindow(period, now), quotaWindow(period, reset));
      }),
    );
  });
});

describe('a quota window', () => {
  const windows: readonly [now: string, day: string, month: string][] = [
    ['2026-08-26T10:00:00.000Z', '2026-08-27T00:00:00.000Z', '2026-09-01T00:00:00.000Z'],
    ['2026-08-26T00:00:00.000Z', '2026-08-27T00:00:00.000Z', '2026-09-01T00:00:00.000Z'],
    ['2026-08-26T23:59:59.999Z', '2026-08-27T00:00:00.000Z', '2026-09-01T00:00:00.000Z'],
    ['2026-01-31T12:00:00.000Z', '2026-02-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    ['2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
    ['2028-02-28T23:59:59.999Z', '2028-02-29T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['2100-02-28T23:59:59.999Z', '2100-03-01T00:00:00.000Z', '2100-03-01T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ];
  for (const [now, day, month] of windows) {
    it(`ends at the next UTC midnight or month after ${now}`, () => {
      assert.equal(quotaResetsAt('day', new Date(now))?.toISOString(), day);
      assert.equal(quotaResetsAt('month', new Date(now))?.toISOString(), month);
    });
  }

  it('that never ends has no reset, no length and always the same name', () => {
    always(
      fc.property(moment, (now) => {
        assert.equal(quotaResetsAt('none', now), undefined);
        assert.equal(quotaWindowSeconds('none', now), undefined);
        assert.equal(quotaWindow('none', now), '');
      }),
    );
  });

  it('is named by its day or its month', () => {
    const now = new Date('2026-08-26T10:00:00Z');
    assert.equal(quotaWindow('day', now), '2026-08-26');
    assert.equal(quotaWindow('month', now), '2026-08');
  });

  it('has one name from its first millisecond to its last, and another after that', () => {
    always(
      fc.property(windowed, moment, (period, now) => {
        const end = quotaResetsAt(period, now);
        const seconds = quotaWindowSeconds(period, now);
        assert.ok(end !== undefined && seconds !== undefined);
        const first = new Date(end.getTime() - seconds * 1000);
        const name = quotaWindow(period, now);
        assert.ok(first <= now && now < end);
        assert.equal(quotaWindow(period, first), name);
        assert.equal(quotaWindow(period, new Date(end.getTime() - 1)), name);
        assert.notEqual(quotaWindow(period, end), name);
        assert.notEqual(quotaWindow(period, new Date(first.getTime() - 1)), name);
      }),
    );
  });

  it('has names that sort by time', () => {
    always(
      fc.property(windowed, moment, moment, (period, a, b) => {
        const [earlier, later] = a < b ? [a, b] : [b, a];
        assert.ok(quotaWindow(period, earlier) <= quotaWindow(period, later));
      }),
    );
  });

  const lengths: readonly [now: string, days: number][] = [
    ['2026-01-31T00:00:00Z', 31],
    ['2026-02-01T00:00:00Z', 28],
    ['2028-02-29T12:00:00Z', 29],
    ['2100-02-01T12:00:00Z', 28],
    ['2000-02-01T12:00:00Z', 29],
    ['2026-04-30T23:59:59Z', 30],
    ['2026-12-31T23:59:59Z', 31],
  ];
  for (const [now, days] of lengths) {
    it(`of the month of ${now} is ${days} days long`, () => {
      assert.equal(quotaWindowSeconds('month', new Date(now)), days * 86_400);
    });
  }

  it('of a day is 86400 seconds long', () => {
    always(fc.property(moment, (now) => assert.equal(quotaWindowSeconds('day', now), 86_400)));
  });
});

describe('a quota balance', () => {
  const now = new Date('2026-08-26T10:00:00Z');
  const use: QuotaUse = { limit: 10, period: 'day', used: 3, window: '2026-08-26', extra: 0 };

  it('is the remainder of the window', () => {
    assert.deepEqual(quotaBalance(use, now), {
      limit: 10,
      period: 'day',
      remaining: 7,
      resetsAt: new Date('2026-08-27T00:00:00Z'),
    });
  });

  it('is complete again in a new window', () => {
    assert.equal(quotaBalance(use, new Date('2026-08-27T00:00:00Z')).remaining, 10);
  });

  it('of a prepaid account is not refilled', () => {
    const prepaid: QuotaUse = { ...use, period: 'none', window: '' };
    assert.deepEqual(quotaBalance(prepaid, new Date('2030-01-01T00:00:00Z')), {
      limit: 10,
      period: 'none',
      remaining: 7,
      resetsAt: undefined,
    });
  });

  it('includes topped-up units', () => {
    assert.equal(quotaBalance({ ...use, used: 10, extra: 5 }, now).remaining, 5);
  });

  it('without a limit has no number', () => {
    assert.equal(quotaBalance({ ...use, limit: null, extra: 5 }, now).remaining, null);
  });

  it('counts units used in a window that starts in the future of this clock', () => {
    const ahead = quotaWindow('day', new Date(now.getTime() + 86_400_000));
    const { remaining } = quotaBalance({ ...use, period: 'day', window: ahead }, now);
    assert.equal(remaining, quotaBalance(use, now).remaining);
  });

  it('is never below zero, even if the limit was lowered below the used units', () => {
    const numbers = { limit: fc.nat(), used: fc.nat(), extra: fc.nat() };
    always(
      fc.property(fc.record(numbers), ({ limit, used, extra }) => {
        const { remaining } = quotaBalance({ ...use, limit, used, extra }, now);
        assert.equal(remaining, (used < limit ? limit - used : 0) + extra);
      }),
    );
  });

  it('of a new account is 1000 a day', () => {
    assert.deepEqual(DEFAULT_QUOTA, { limit: 1000, period: 'day' });
  });
});
