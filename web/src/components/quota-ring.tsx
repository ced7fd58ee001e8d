import { formatNumber } from '../text/format.ts';
import styles from './quota-ring.module.css';

interface Props {
  readonly limit: number | null;
  readonly remaining: number | null;
}

const RADIUS = 6;
const LENGTH = 2 * Math.PI * RADIUS;

/** What is left of the lookup quota, as a ring and a number. */
export function QuotaRing({ limit, remaining }: Props) {
  const share = remaining === null || !limit ? 1 : Math.min(1, remaining / limit);
  const label =
    remaining === null ? 'Lookups are not limited' : `${formatNumber(remaining)} lookups left`;
  return (
    <span className={styles['quota']} title={label}>
      <svg viewBox="0 0 16 16" aria-hidden className={styles['ring']}>
        <circle cx="8" cy="8" r={RADIUS} className={styles['track']} />
        <circle
          cx="8"
          cy="8"
          r={RADIUS}
          className={share < 0.1 ? styles['low'] : styles['left']}
          strokeDasharray={`${share * LENGTH} ${LENGTH}`}
          transform="rotate(-90 8 8)"
        />
      </svg>
      <span aria-hidden>{remaining === null ? '∞' : formatNumber(remaining)}</span>
      <span className="visually-hidden">{label}</span>
    </span>
  );
}
