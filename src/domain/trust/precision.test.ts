import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noReporterCounts } from './outcome.ts';
import { precisionOf, wilsonInterval } from './precision.ts';

const rounded = (successes: number, total: number) => {
  const { lower, upper } = wilsonInterval(successes, total);
  return [lower.toFixed(4), upper.toFixed(4)];
};

describe('the Wilson score interval', () => {
  it('has the values of the literature', () => {
    // R. G. Newcombe, "Two-sided confidence intervals for the single proportion", 1998, method 3.
    assert.deepEqual(rounded(81, 263), ['0.2553', '0.3662']);
    assert.deepEqual(rounded(15, 148), ['0.0624', '0.1605']);
    assert.deepEqual(rounded(0, 20), ['0.0000', '0.1611']);
    assert.deepEqual(rounded(1, 29), ['0.0061', '0.1718']);
  });

  it('stays inside 0 to 1, contains the share, and is symmetric', () => {
    for (let total = 1; total <= 60; total += 1)
      for (let successes = 0; successes <= total; successes += 1) {
        const { lower, upper } = wilsonInterval(successes, total);
        const other = wilsonInterval(total - successes, total);
        assert.ok(0 <= lower && lower <= successes / total && successes / total <= upper);
        assert.ok(upper <= 1 && lower < upper);
        assert.ok(Math.abs(lower + other.upper - 1) < 1e-12);
      }
  });

  it('contains the bounds that solve the equation of the score test', () => {
    const z = 1.959963984540054;
    for (const [successes, total] of [
      [3, 10],
      [81, 263],
      [999, 1000],
    ] as const) {
      const { lower, upper } = wilsonInterval(successes, total);
      for (const bound of [lower, upper]) {
        const score = (successes / total - bound) / Math.sqrt((bound * (1 - bound)) / total);
        assert.ok(Math.abs(Math.abs(score) - z) < 1e-9);
      }
    }
  });

  it('is narrower for more observations', () => {
    const widths = [1, 10, 100, 1000].map((scale) => {
      const { lower, upper } = wilsonInterval(3 * scale, 4 * scale);
      return upper - lower;
    });
    assert.deepEqual(
      widths,
      widths.toSorted((one, other) => other - one),
    );
  });
});

describe('the precision of a reporter', () => {
  it('counts what others judged, not the outcomes of existing reports', () => {
    const counts = {
      ...noReporterCounts(),
      open: 5,
      acknowledged: 1,
      expired: 4,
      actioned: 9,
      not_ours: 1,
      false_positive: 1,
      insufficient_evidence: 1,
      duplicate: 20,
      unspecified: 30,
      contradicted: 2,
      judged_right: 6,
      judged_wrong: 2,
    };
    assert.deepEqual(precisionOf(counts), {
      right: 6,
      wrong: 2,
      value: 0.75,
      ...wilsonInterval(6, 8),
    });
  });

  it('is absent while nothing is judged', () => {
    assert.equal(precisionOf(noReporterCounts()), undefined);
  });
});
