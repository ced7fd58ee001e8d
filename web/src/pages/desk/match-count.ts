import { queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { type FeedFilter, toListOptions } from '../feed/filters.ts';

/** How many reports of a feed match a filter, counted up to 10,000. */
export function matchCountQuery(service: string, filter: FeedFilter) {
  return queryOptions({
    queryKey: ['feed', service, 'match-count', filter],
    queryFn: async () => {
      const page = await client.listReports(service, {
        ...toListOptions(filter),
        limit: 1,
        count: true,
      });
      return { total: page.total ?? 0, isLowerBound: page.totalIsLowerBound === true };
    },
    staleTime: 0,
    refetchOnMount: true,
  });
}
