import styles from './sparkline.module.css';

interface Props {
  readonly values: readonly number[];
  /** What the line shows, read aloud. */
  readonly label: string;
}

const WIDTH = 96;
const HEIGHT = 24;

/** A small line without axes, beside a number. */
export function Sparkline({ values, label }: Props) {
  const max = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)},${(HEIGHT - 1 - (value / max) * (HEIGHT - 2)).toFixed(1)}`,
  );
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      className={styles['line']}
    >
      <polyline points={points.join(' ')} />
    </svg>
  );
}
