import type { JudgementCount, ReporterCounts } from './outcome.ts';

/** The share of right reports among those that a desk judged, with its interval. */
export interface Precision {
  readonly right: number;
  readonly wrong: number;
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/** The quantile 0.975 of the standard normal distribution, for an interval of 95 %. */
const Z = 1.959963984540054;

/**
 * The score interval of a proportion: E. B. Wilson, "Probable inference, the law of succession, and
 * statistical inference", 1927. Unlike the mean with its standard error, it stays inside 0 to 1 and
 * is wide for few observations. `total` is at least 1.
 */
export function wilsonInterval(successes: number, total: number): Interval {
  const share = successes / total;
  const spread = Z ** 2 / total;
  const center = share + spread / 2;
  const margin = Z * Math.sqrt((share * (1 - share) + spread / 4) / total);
  // At both ends the terms are equal, apart from rounding.
  return {
    lower: successes === 0 ? 0 : (center - margin) / (1 + spread),
    upper: successes === total ? 1 : (center + margin) / (1 + spread),
  };
}

/** `undefined` while no report is judged. */
export function precisionOf(
  counts: Readonly<Pick<ReporterCounts, JudgementCount>>,
): Precision | undefined {
  const { judged_right: right, judged_wrong: wrong } = counts;
  const judged = right + wrong;
  if (judged === 0) return undefined;
  return { right, wrong, value: right / judged, ...wilsonInterval(right, judged) };
}
