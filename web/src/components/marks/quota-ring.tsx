import { formatNumber } from '../../text/format.ts';
import styles from './quota-ring.module.css';

interface Props {
  readonly quota: {
    readonly limit: number | null;
    readonly period: 'day' | 'month' | 'none';
    readonly remaining: number | null;
  };
}

const RADIUS = 6;
const LENGTH = 2 * Math.PI * RADIUS;
const PERIODS = { day: 'today', month: 'this month', none: 'prepaid' } as const;

/** What is left of the lookup quota, as a ring, a number and words. */
export function QuotaRing({ quota }: Props) {
  const { limit, remaining } = quota;
  // Prepaid units have no limit to compare with.
  const share = remaining === null || !limit ? 1 : Math.min(1, remaining / limit);
  const isLow = remaining === 0 || share < 0.1;
  return (
    <span
      className={styles['quota']}
      title={`Left: ${formatNumber(remaining ?? Number.POSITIVE_INFINITY)} ${detailsOf(quota)}`}
    >
      <svg viewBox="0 0 16 16" aria-hidden className={styles['ring']}>
        <circle cx="8" cy="8" r={RADIUS} className={styles['track']} />
        {remaining !== 0 && (
          <circle
            cx="8"
            cy="8"
            r={RADIUS}
            className={isLow ? styles['low'] : styles['left']}
            strokeDasharray={`${share * LENGTH} ${LENGTH}`}
            transform="rotate(-90 8 8)"
          />
        )}
      </svg>
      {/* The hidden words complete the visible ones for screen readers. */}
      <span className={isLow ? styles['few'] : undefined}>
        {remaining === null ? '∞' : formatNumber(remaining)}
        <span className={styles['words']}> left</span>
      </span>
      <span className="visually-hidden"> {detailsOf(quota)}</span>
    </span>
  );
}

/** What the number counts, for screen readers. */
function detailsOf({ limit, period, remaining }: Props['quota']): string {
  if (remaining === null) return 'units, not limited';
  return `${limit === null ? 'units' : `of ${formatNumber(limit)} units`}, ${PERIODS[period]}`;
}
