import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isNarrowed, periodOf } from './desk-filter.ts';

const NOW = new Date('2026-11-17T10:20:30Z');

it('turns an age into times of the API that stay for an hour', () => {
  assert.deepEqual(periodOf('1d', NOW), { created_after: '2026-11-16T10:00:00Z' });
  assert.deepEqual(periodOf('over-7d', NOW), { created_before: '2026-11-10T10:00:00Z' });
});

it('ignores an age that the page does not offer', () => {
  for (const age of [undefined, '', '5d', '999999999d', 'over-', '1d1d'])
    assert.deepEqual(periodOf(age, NOW), {});
});

it('knows whether a filter has more than the status', () => {
  assert.equal(isNarrowed({ status: 'open', tag: undefined }), false);
  assert.equal(isNarrowed({ status: 'open', domain: 'example' }), true);
});
