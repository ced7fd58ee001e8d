import { formatNumber } from '../../text/format.ts';
import styles from './admin-page.module.css';

/** The server counts no further. */
const MAX_COUNTED = 10_000;

interface FigureProps {
  readonly name: string;
  readonly note: string;
  readonly value: React.ReactNode;
}

export function Figure({ name, note, value }: FigureProps) {
  return (
    <div className={styles['figure']}>
      <dt>
        {name} <span className="visually-hidden">({note})</span>
      </dt>
      <dd>{value}</dd>
      <dd className={styles['note']} aria-hidden>
        {note}
      </dd>
    </div>
  );
}

export function counted(value: number): string {
  return value >= MAX_COUNTED ? `${formatNumber(MAX_COUNTED)}+` : formatNumber(value);
}
