import { useQueries, useQueryClient } from '@tanstack/react-query';
import { openCountQuery } from '../api/desk.ts';
import { changesIn, hasReset, useLiveBatches } from '../api/live/batches.ts';
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
  useLiveCounts(services);
  if (total === 0) return null;
  const text = `${formatNumber(total)}${isLowerBound ? '+' : ''}`;
  return (
    <span className={styles['count']}>
      {text}
      <b className="visually-hidden"> open reports</b>
    </span>
  );
}

/** Many reports may arrive at once: the number is read again at most this often. */
const RECOUNT_MS = 1000;

/** Invalidates the counts of feeds that have changed. */
function useLiveCounts(services: readonly string[]): void {
  const cache = useQueryClient();
  useLiveBatches(RECOUNT_MS, (events) => {
    for (const service of services)
      if (hasReset(events) || changesIn(events, service).length > 0)
        void cache.invalidateQueries({ queryKey: openCountQuery(service).queryKey });
  });
}
