import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatDuration } from './duration.ts';

describe('a duration', () => {
  for (const [ms, text] of [
    [0, '00:00:00.0000000'],
    [42.737, '00:00:00.0427370'],
    [59_999.9999, '00:00:59.9999999'],
    [60_000, '00:01:00.0000000'],
    [3_723_004.5, '01:02:03.0045000'],
    [-1, '00:00:00.0000000'],
  ] as const) {
    it(`of ${ms} ms is ${text}`, () => assert.equal(formatDuration(ms), text));
  }
});
