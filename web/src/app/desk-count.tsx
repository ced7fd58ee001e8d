import { useStatusCounts } from '../api/status-counts.ts';
import { formatNumber } from '../text/format.ts';
import styles from './frame.module.css';

/** The number of open reports in the feeds that the account owns. */
export function DeskCount({ services }: { readonly services: readonly string[] }) {
  const total = useStatusCounts(services).reduce((sum, counts) => sum + (counts?.open ?? 0), 0);
  if (total === 0) return null;
  return (
    <span className={styles['count']}>
      {formatNumber(total)}
      <b className="visually-hidden"> open reports</b>
    </span>
  );
}
