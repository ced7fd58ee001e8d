import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export const tokensQuery = infiniteQueryOptions({
  queryKey: ['account', 'tokens'],
  queryFn: ({ pageParam }) =>
    client.listTokens({ cursor: pageParam === '' ? undefined : pageParam }),
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  staleTime: 10_000,
  refetchOnMount: true,
});

/** The units charged on each of the last 90 days, with the newest entries. */
export const usageQuery = queryOptions({
  queryKey: ['account', 'usage'],
  queryFn: () => client.usage({ limit: 1000 }),
  staleTime: 60_000,
  refetchOnMount: true,
});

/** What was charged on one day. */
export function dayUsageQuery(day: string) {
  return infiniteQueryOptions({
    queryKey: ['account', 'usage', day],
    queryFn: ({ pageParam }) =>
      client.usage({ day, limit: 100, cursor: pageParam === '' ? undefined : pageParam }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    staleTime: 60_000,
    refetchOnMount: true,
  });
}

/** The newest reports of an account in all feeds, with what became of them. */
export function ownReportsQuery(name: string) {
  return queryOptions({
    queryKey: ['account', 'reports', name],
    queryFn: () => client.listAllReports({ reporter: name, limit: 100 }),
    staleTime: 30_000,
    refetchOnMount: true,
  });
}
