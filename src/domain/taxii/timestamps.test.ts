import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatBefore, formatDateAdded, parseAddedAfter } from './timestamps.ts';

describe('added_after', () => {
  const ms = Date.parse('2026-08-26T10:00:00.123Z');
  for (const [text, fraction] of [
    ['2026-08-26T10:00:00.123Z', '123000'],
    ['2026-08-26T10:00:00.123456Z', '123456'],
    ['2026-08-26T10:00:00.123999999Z', '123999'],
    ['2026-08-26T10:00:00.123000+00:00', '123000'],
    ['2026-08-26T10:00:00.123 00:00', '123000'],
  ] as const) {
    it(`is read from ${text}, rounded down to milliseconds`, () => {
      const expected = { ms, text: `2026-08-26T10:00:00.${fraction}Z` };
      assert.deepEqual(parseAddedAfter(text), expected);
    });
  }

  it('may have no or few digits of a second', () => {
    assert.equal(parseAddedAfter('2026-08-26T10:00:00Z')?.ms, ms - 123);
    assert.equal(parseAddedAfter('2026-08-26T10:00:00.1Z')?.ms, ms - 23);
  });

  it('without a zone is UTC only if that was asked for', () => {
    assert.equal(parseAddedAfter('2026-08-26T10:00:00.123'), undefined);
    assert.equal(parseAddedAfter('2026-08-26T10:00:00.123', true)?.ms, ms);
  });

  for (const text of [
    '',
    'yesterday',
    '2026-08-26',
    '2026-02-30T10:00:00Z',
    '2026-08-26T24:00:00Z',
    '2026-08-26T10:00:61Z',
    '2026-08-26T10:00:00+02:00',
    '2026-08-26T10:00:00.Z',
    '2026-08-26T10:00:00.0123456789Z',
    '1787738400',
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => assert.equal(parseAddedAfter(text), undefined));
  }
});

describe('a date in a header', () => {
  it('has six digits', () => {
    assert.equal(formatDateAdded(1), '1970-01-01T00:00:00.001000Z');
  });

  it('may be the last one before a time, which is then not skipped', () => {
    const text = formatBefore(1000);
    assert.equal(text, '1970-01-01T00:00:00.999999Z');
    assert.equal(parseAddedAfter(text)?.ms, 999);
  });
});
