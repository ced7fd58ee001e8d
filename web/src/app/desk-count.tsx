import { useQueries } from '@tanstack/react-query';
import { openCountQuery } from '../api/desk.ts';
import { formatNumber } from '../text/format.ts';
import styles from './frame.module.css';

/** The number of open reports in the feeds that the account owns. */
export function DeskCount({ services }: { readonly services: readonly string[] }) {
  const { total, isLowerBound } = useQueries({
    queries: services.map(openCountQuery),
    combine: (results) => ({
      total: results.reduce((sum, { data }) => sum + (data?.total ?? 0), 0),
      isLowerBound: results.some(({ data }) => data?.isLowerBound === true),
    }),
  });
  if (total === 0) return null;
  const text = `${formatNumber(total)}${isLowerBound ? '+' : ''}`;
  return (
    <span className={styles['count']}>
      {text}
      <b className="visually-hidden"> open reports</b>
    </span>
  );
}
