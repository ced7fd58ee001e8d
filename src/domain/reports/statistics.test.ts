import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  medianTimeToAct,
  noStatuses,
  TIME_TO_ACT_BOUNDS,
  timeQuantile,
  timeToActBucket,
} from './statistics.ts';

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

describe('a quantile of times', () => {
  it('is interpolated in its bucket', () => {
    assert.equal(timeQuantile(buckets({ 0: 10 }), 0.9), 810);
    assert.equal(timeQuantile(buckets({ 0: 8, 2: 2 }), 0.9), 1800 + 900);
    assert.equal(timeQuantile(buckets({ 0: 9, 5: 1 }), 0.9), 900);
    assert.equal(timeQuantile(buckets({ 3: 1, 12: 9 }), 0.9), 30 * 86_400);
    assert.equal(timeQuantile(buckets({}), 0.9), undefined);
  });

  it('is in the bucket of the exact quantile', () => {
    // Times from seconds to 29 days, spread over the logarithm.
    const times = Array.from({ length: 999 }, (_, index) => 10 * 1.0125 ** index).filter(
      (time) => time < 29 * 86_400,
    );
    const counts = TIME_TO_ACT_BOUNDS.concat(0).fill(0);
    for (const time of times) counts[bucketAfter(time)] = (counts[bucketAfter(time)] ?? 0) + 1;
    for (const share of [0.1, 0.5, 0.9, 0.99]) {
      const exact = times[Math.ceil(share * times.length) - 1] ?? 0;
      const about = timeQuantile(counts, share) ?? 0;
      const index = bucketAfter(exact);
      assert.ok(about >= (TIME_TO_ACT_BOUNDS[index - 1] ?? 0), `${about} for ${exact}`);
      assert.ok(about <= (TIME_TO_ACT_BOUNDS[index] ?? Number.POSITIVE_INFINITY));
    }
  });

  it('is exact for times that are spread evenly over a bucket', () => {
    const times = Array.from({ length: 1800 }, (_, index) => 1800 + index + 1);
    const counts = buckets({ 2: times.length });
    for (const share of [0.25, 0.5, 0.9])
      assert.equal(timeQuantile(counts, share), times[share * times.length - 1]);
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
