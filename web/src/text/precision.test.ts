import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatPrecision } from './precision.ts';

describe('the text of a precision', () => {
  it('has the interval and the reports that it comes from', () => {
    const precision = { right: 9, wrong: 1, value: 0.9, lower: 0.5958, upper: 0.9821 };
    assert.equal(formatPrecision(precision), '90 % (60 % to 98 %), 9 of 10');
  });

  it('says that nothing is judged yet', () => {
    assert.equal(formatPrecision(null), 'not judged yet');
  });
});
