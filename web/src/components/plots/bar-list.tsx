import type { ReactNode } from 'react';
import { formatNumber } from '../../text/format.ts';
import styles from './bar-list.module.css';

export interface Bar {
  readonly id: string;
  readonly label: ReactNode;
  readonly value: number;
  /** The text of the value; by default the number. */
  readonly text?: string;
}

interface Props {
  readonly bars: readonly Bar[];
  readonly label: string;
  /** The value of a full bar; by default the largest. */
  readonly max?: number;
  /** Makes the bars buttons, as for filters. */
  readonly onSelect?: (id: string) => void;
  readonly selected?: string | undefined;
  /** On narrow screens a label stands above its bar. */
  readonly hasLongLabels?: boolean;
}

/** Values as horizontal bars, largest first as the caller orders them. */
export function BarList(props: Props) {
  const { bars, label, max, onSelect, selected, hasLongLabels = false } = props;
  const full = max ?? Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ul className={`${styles['list']} ${hasLongLabels ? styles['long'] : ''}`} aria-label={label}>
      {bars.map((bar) => (
        <li key={bar.id}>
          {onSelect === undefined ? (
            <div className={styles['row']}>
              <Content bar={bar} full={full} />
            </div>
          ) : (
            <button
              type="button"
              className={styles['row']}
              aria-pressed={bar.id === selected}
              onClick={() => onSelect(bar.id)}
            >
              <Content bar={bar} full={full} />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function Content({
  bar: { label, value, text },
  full,
}: {
  readonly bar: Bar;
  readonly full: number;
}) {
  return (
    <>
      <span className={styles['label']}>{label}</span>
      <svg className={styles['track']} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden>
        <rect width={(100 * value) / full} height="8" rx="1" className={styles['value']} />
      </svg>
      <span className={styles['number']}>{text ?? formatNumber(value)}</span>
    </>
  );
}
