import { QueryClient } from '@tanstack/react-query';

/**
 * Nothing is read again by itself: some reads cost a unit of the quota, and the live stream tells
 * what has changed. What is free and not part of the stream says so in its query. The client
 * retries what may be retried.
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
