import { count, formatDuration, formatNumber } from '../../text/format.ts';
import styles from './time-histogram.module.css';

interface Bucket {
  /** `null`: any longer time. */
  readonly upToSeconds: number | null;
  readonly reports: number;
}

interface Props {
  /** Read aloud. */
  readonly label: string;
  readonly buckets: readonly Bucket[];
}

const HEIGHT = 32;
const BAR = 12;

/** How the times that a desk took spread. */
export function TimeHistogram({ label, buckets }: Props) {
  const most = Math.max(1, ...buckets.map(({ reports }) => reports));
  return (
    <figure className={styles['histogram']} aria-label={label}>
      <svg viewBox={`0 0 ${buckets.length * BAR} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
        {buckets.map(({ upToSeconds, reports }, index) => {
          const height = reports === 0 ? 1 : Math.max(3, (reports / most) * HEIGHT);
          return (
            <rect
              key={upToSeconds ?? 'longer'}
              x={index * BAR + 1}
              y={HEIGHT - height}
              width={BAR - 2}
              height={height}
              className={reports === 0 ? styles['none'] : styles['bar']}
            >
              <title>{`${rangeOf(buckets, index)}: ${formatNumber(reports)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div className={styles['axis']} aria-hidden>
        <span>15 min</span>
        <span>1 d</span>
        <span>&gt; 30 d</span>
      </div>
      <ul className="visually-hidden">
        {buckets.map(({ upToSeconds, reports }, index) => (
          <li key={upToSeconds ?? 'longer'}>
            {rangeOf(buckets, index)}: {count(reports, 'report')}
          </li>
        ))}
      </ul>
    </figure>
  );
}

function rangeOf(buckets: readonly Bucket[], index: number): string {
  const upTo = buckets[index]?.upToSeconds ?? null;
  if (upTo !== null) return `up to ${formatDuration(upTo * 1000)}`;
  const from = buckets[index - 1]?.upToSeconds ?? 0;
  return `longer than ${formatDuration(from * 1000)}`;
}
