import type { ReactNode } from 'react';
import styles from './interval-list.module.css';

export interface ShareWithInterval {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

export interface IntervalRow {
  readonly id: string;
  readonly label: ReactNode;
  /** `null` while nothing is known. */
  readonly share: ShareWithInterval | null;
  /** Beside the bar. */
  readonly text: string;
}

/** Shares from 0 to 1 as bars, each with the whiskers of its interval. */
export function IntervalList({
  label,
  rows,
}: {
  readonly label: string;
  readonly rows: readonly IntervalRow[];
}) {
  return (
    <ul className={styles['list']} aria-label={label}>
      {rows.map(({ id, label: name, share, text }) => (
        <li key={id} className={styles['row']}>
          <span className={styles['label']}>{name}</span>
          <Interval share={share} />
          <span className={styles['text']}>{text}</span>
        </li>
      ))}
    </ul>
  );
}

function Interval({ share }: Pick<IntervalRow, 'share'>) {
  return (
    <svg className={styles['track']} viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden>
      <rect width="100" height="12" y="4" className={styles['whole']} />
      {share !== null && (
        <>
          <rect width={100 * share.value} height="12" y="4" className={styles['value']} />
          <path
            className={styles['whiskers']}
            d={`M${at(share.lower)} 3V17M${at(share.lower)} 10H${at(share.upper)}M${at(share.upper)} 3V17`}
          />
        </>
      )}
    </svg>
  );
}

/** Inside of the drawing, where the stroke of a whisker at 0 or 1 is not cut. */
function at(share: number): string {
  return (0.5 + 99 * share).toFixed(2);
}
