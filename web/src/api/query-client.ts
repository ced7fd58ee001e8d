import { QueryCache, QueryClient } from '@tanstack/react-query';
import { RapsheetError } from '../../../src/client/error.ts';

/** Called when the server says that the session has ended. */
let onSignedOut: () => void = () => undefined;

export function whenSignedOut(react: () => void): void {
  onSignedOut = react;
}

/**
 * Nothing is read again by itself: some reads cost a unit of the quota, and the live stream tells
 * what has changed. The client retries what may be retried.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignOut }),
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
    mutations: { retry: false, networkMode: 'always', onError: noticeSignOut },
  },
});

function noticeSignOut(error: unknown): void {
  if (error instanceof RapsheetError && error.status === 401) onSignedOut();
}
