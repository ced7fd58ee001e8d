import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { medianTimeToAct, noStatuses, TIME_TO_ACT_BOUNDS, timeToActBucket } from './statistics.ts';

const bucketAfter = (seconds: number) => timeToActBucket(new Date(0), new Date(seconds * 1000));
const buckets = (counts: Readonly<Record<number, number>>) =>
  Array.from({ length: TIME_TO_ACT_BOUNDS.length + 1 }, (_, index) => counts[index] ?? 0);

describe('the bucket of an answer', () => {
  it('includes its bound', () => {
    assert.equal(bucketAfter(900), 0);
    assert.equal(bucketAfter(900.001), 1);
    assert.equal(bucketAfter(30 * 86_400), 11);
  });

  it('is the last one for any longer time, and the first for a clock that was set back', () => {
    assert.equal(bucketAfter(31 * 86_400), 12);
    assert.equal(bucketAfter(-5), 0);
  });
});

describe('the median time to act', () => {
  it('is interpolated in its bucket', () => {
    assert.equal(medianTimeToAct(buckets({ 0: 1 })), 450);
    assert.equal(medianTimeToAct(buckets({ 0: 1, 2: 2 })), 1800 + 450);
    assert.equal(medianTimeToAct(buckets({ 1: 2, 3: 2 })), 1800);
  });

  it('is the last bound beyond it, and absent without an answer', () => {
    assert.equal(medianTimeToAct(buckets({ 12: 3 })), 30 * 86_400);
    assert.equal(medianTimeToAct(buckets({})), undefined);
  });
});

describe('counts of no report', () => {
  it('have every status, and are not shared', () => {
    const counts = noStatuses();
    counts.open += 1;
    assert.deepEqual(noStatuses(), {
      open: 0,
      acknowledged: 0,
      actioned: 0,
      rejected: 0,
      expired: 0,
    });
  });
});
