import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ExtendedReport } from '../../../../src/client/wire.ts';
import { parseSearch, stringifySearch } from '../../text/search-values.ts';
import {
  entriesOf,
  type FeedFilter,
  filterFromSearch,
  matches,
  showValue,
  toggledFilter,
  toValue,
  withFilter,
  withoutFilter,
} from './filters.ts';

const REPORT = {
  status: 'open',
  name: 'asyncrat',
  tags: ['rat', 'asyncrat'],
  c2Address: 'evil.example:4444',
  file256Hash: 'ab'.repeat(32),
  reportedBy: 'alice',
  confidenceScore: 80,
  reportedAt: '2026-11-16 07:30:00',
} as unknown as ExtendedReport;

describe('the filters of a feed', () => {
  it('survive the address of the page', () => {
    const filter: FeedFilter = { status: 'open', tag: ['a b', '<i>&'], c2: '[2001:db8::1]:80' };
    const search = stringifySearch({ ...filter });
    assert.deepEqual(entriesOf(filterFromSearch(parseSearch(search))), entriesOf(filter));
  });

  it('leave out what the address has besides them, or empty', () => {
    const filter = filterFromSearch(parseSearch('?status=&tag=&tag=x&port=1&port=2&constructor=1'));
    assert.deepEqual(entriesOf(filter), [['tag', 'x']]);
  });

  it('are added once, toggled and removed', () => {
    const twice = withFilter(withFilter({ status: 'open' }, 'tag', 'x'), 'tag', 'x');
    assert.deepEqual(entriesOf(twice), [
      ['status', 'open'],
      ['tag', 'x'],
    ]);
    assert.deepEqual(entriesOf(withoutFilter(twice, 'tag', 'x')), [['status', 'open']]);
    assert.deepEqual(entriesOf(toggledFilter(twice, 'status', 'open')), [['tag', 'x']]);
    assert.deepEqual(entriesOf(toggledFilter(twice, 'status', 'rejected'))[0], [
      'status',
      'rejected',
    ]);
  });

  it('take days as times in UTC, and show them as days', () => {
    assert.equal(toValue('created_after', ' 2026-11-16 '), '2026-11-16T00:00:00Z');
    assert.equal(showValue('created_after', '2026-11-16T00:00:00Z'), '2026-11-16');
    assert.equal(showValue('created_after', '2026-11-16T07:30:00Z'), '2026-11-16 07:30 UTC');
  });

  it('show addresses defanged, and hidden characters', () => {
    assert.equal(showValue('c2', 'evil.example:4444'), 'evil[.]example:4444');
    assert.equal(showValue('tag', 'a\u202eb'), 'a⟨U+202E⟩b');
  });

  it('decide whether a report that arrives belongs to the list', () => {
    const fitting: readonly FeedFilter[] = [
      {},
      { status: 'open', name: 'asyncrat', tag: ['rat'], reporter: 'alice' },
      { host: 'EVIL[.]example', port: '4444', c2: 'evil.example:4444' },
      { min_confidence: '80', hash: 'AB'.repeat(32) },
      { created_after: '2026-11-16T07:30:00Z', created_before: '2026-11-16T07:30:01Z' },
    ];
    const others: readonly FeedFilter[] = [
      { status: 'rejected' },
      { tag: ['rat', 'x'] },
      { host: 'example' },
      { min_confidence: '81' },
      { created_before: '2026-11-16T07:30:00Z' },
    ];
    for (const filter of fitting) assert.equal(matches(REPORT, filter), true);
    for (const filter of others) assert.equal(matches(REPORT, filter), false);
  });

  it('leave out expired reports unless they are asked for', () => {
    const expired = { ...REPORT, status: 'expired' } as ExtendedReport;
    assert.equal(matches(expired, {}), false);
    assert.equal(matches(expired, { status: 'expired' }), true);
  });
});
