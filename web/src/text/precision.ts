import type { Precision } from '../../../src/client/wire.ts';
import { formatNumber } from './format.ts';

/** Always shown with its interval: the mean of a few reports says little. */
export function formatPrecision(precision: Precision | null): string {
  if (precision === null) return 'not judged yet';
  const { value, lower, upper, right, wrong } = precision;
  const judged = formatNumber(right + wrong);
  return `${percent(value)} (${percent(lower)} to ${percent(upper)}), ${formatNumber(right)} of ${judged}`;
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
