import { QueryClient } from '@tanstack/react-query';

/**
 * Queries are not refetched automatically: some cost a unit of the quota, and the live stream
 * reports changes. Queries that are free and not part of the stream override this. The client
 * already retries requests that may be repeated.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 30 * 60_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      refetchOnMount: false,
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
