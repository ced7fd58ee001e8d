import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** How many reports of a feed are open. */
export function openCountQuery(service: string) {
  return queryOptions({
    queryKey: ['feed', service, 'open-count'],
    queryFn: async () => {
      const page = await client.listReports(service, { status: 'open', limit: 1, count: true });
      return { total: page.total ?? 0, isLowerBound: page.totalIsLowerBound === true };
    },
  });
}
