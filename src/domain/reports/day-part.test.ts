import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dayPartOf, REPORTS_OF_PART } from './day-part.ts';

it('begins a part of a day when the one before has all its reports', () => {
  const last = REPORTS_OF_PART;
  assert.deepEqual([1, last, last + 1, 2 * last, 2 * last + 1].map(dayPartOf), [1, 1, 2, 2, 3]);
});
