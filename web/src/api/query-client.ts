import { QueryCache, QueryClient } from '@tanstack/react-query';
import { RapsheetError } from '../../../src/client/error.ts';

let onSignedOut: () => void = () => undefined;

/** Sets what happens when the session has ended. */
export function whenSignedOut(react: () => void): void {
  onSignedOut = react;
}

/** Called when the server says that the session has ended, and after ending it. */
export function tellSignedOut(): void {
  onSignedOut();
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
  if (error instanceof RapsheetError && error.status === 401) tellSignedOut();
}
