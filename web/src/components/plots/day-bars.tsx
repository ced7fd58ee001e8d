import { formatNumber } from '../../text/format.ts';
import styles from './day-bars.module.css';

interface Props {
  /** What is counted, read aloud with the days that have a value. */
  readonly label: string;
  /** `report`, `unit`. */
  readonly unit: string;
  /** In order, without gaps. */
  readonly days: readonly { readonly day: string; readonly value: number }[];
}

const HEIGHT = 72;
const STEP = 10;
const WIDTH = 8;

/** A bar per day. */
export function DayBars({ label, unit, days }: Props) {
  const max = Math.max(1, ...days.map(({ value }) => value));
  const busy = days.filter(({ value }) => value > 0);
  const spoken = busy.slice(-10).map(({ day, value }) => `${day} ${value}`);
  return (
    <figure className={styles['figure']}>
      <svg
        viewBox={`0 0 ${STEP * days.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}. ${spoken.length === 0 ? 'None.' : `Newest: ${spoken.join(', ')}.`}`}
        className={styles['bars']}
      >
        {days.map(({ day, value }, index) => (
          <g key={day} className={styles['day']}>
            <title>{`${day}: ${formatNumber(value)} ${unit}${value === 1 ? '' : 's'}`}</title>
            <rect x={STEP * index} width={STEP} height={HEIGHT} className={styles['space']} />
            <rect
              x={STEP * index + (STEP - WIDTH) / 2}
              y={HEIGHT - barHeight(value, max)}
              width={WIDTH}
              height={barHeight(value, max)}
              className={styles['bar']}
            />
          </g>
        ))}
      </svg>
      <figcaption className={styles['axis']}>
        <span>{days[0]?.day}</span>
        <span>{busy.length === 0 ? `no ${unit}s` : `at most ${formatNumber(max)} a day`}</span>
        <span>{days.at(-1)?.day}</span>
      </figcaption>
    </figure>
  );
}

/** The minimum height keeps a day with few visible beside one with many. */
function barHeight(value: number, max: number): number {
  return value === 0 ? 0 : Math.max(3, (HEIGHT * value) / max);
}
