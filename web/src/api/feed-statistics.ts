import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from './client.ts';
import { changesIn, hasReset, useLiveBatches } from './live/batches.ts';

/** A busy feed is counted again at most this often. */
const REFRESH_MS = 20_000;

/** Reports per day, statuses, names and the time to act of a feed. Free. */
export function statisticsQuery(service: string, days = 30) {
  return queryOptions({
    queryKey: ['feed', service, 'statistics', days],
    queryFn: () => client.feedStatistics(service, { days }),
    staleTime: 60_000,
    refetchOnMount: true,
  });
}

/** The statistics of a feed, counted again while it changes. */
export function useStatistics(service: string, days = 30) {
  const cache = useQueryClient();
  const { queryKey } = statisticsQuery(service, days);
  useLiveBatches(REFRESH_MS, (events) => {
    if (hasReset(events) || changesIn(events, service).length > 0)
      void cache.invalidateQueries({ queryKey });
  });
  return useQuery(statisticsQuery(service, days));
}

/** What the list of feeds shows of one. */
export function feedSummaryQuery(service: string) {
  return queryOptions({
    queryKey: ['feed', service, 'summary'],
    queryFn: async () => {
      const [statistics, { reports }] = await Promise.all([
        client.feedStatistics(service),
        client.listReports(service, { limit: 1 }),
      ]);
      return { statistics, lastReportedAt: reports[0]?.reportedAt };
    },
    staleTime: 30_000,
    refetchOnMount: true,
  });
}
