import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { estimateLines, ratePerSecond, secondsOfBatch } from './batch-pace.ts';

describe('the time of a batch', () => {
  it('is that of the lines beyond the burst', () => {
    assert.equal(secondsOfBatch(5000, { remaining: 0, perMinute: 6000 }), 50);
    assert.equal(secondsOfBatch(5000, { remaining: 4999, perMinute: 6000 }), 1);
    assert.equal(secondsOfBatch(5000, { remaining: 20_000, perMinute: 6000 }), 0);
  });
});

describe('the rate of a batch', () => {
  it('is that of a second', () => {
    assert.equal(ratePerSecond({ perMinute: 6000 }), 100);
    assert.equal(ratePerSecond({ perMinute: 1 }), 0.017);
  });
});

describe('the number of lines of a body', () => {
  it('is estimated by its beginning', () => {
    assert.equal(estimateLines(1000, { bytes: 100, lines: 7 }), 70);
  });

  it('is at least that of its beginning', () => {
    assert.equal(estimateLines(50, { bytes: 100, lines: 7 }), 7);
  });

  it('is unknown without a length, and before the end of the first line', () => {
    assert.equal(estimateLines(undefined, { bytes: 100, lines: 7 }), undefined);
    assert.equal(estimateLines(1000, { bytes: 100, lines: 0 }), undefined);
  });
});
