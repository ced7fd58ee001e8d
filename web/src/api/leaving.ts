import { useEffect } from 'react';
import { RapsheetClient } from '../../../src/client/client.ts';

/** Its calls complete even if the page is left. They are not retried: nobody would see it. */
export const leavingClient = new RapsheetClient({
  url: globalThis.location.origin,
  sameOrigin: true,
  retries: 0,
  fetch: (input, init) => fetch(input, { ...init, keepalive: true }),
});

interface Held {
  flush(options?: { readonly isLeaving?: boolean }): void;
}

/**
 * Sends the waiting actions when the view is closed or the page is left. If these are more than a
 * browser sends then, it asks before the page is left. Both arguments must be stable.
 */
export function useFlushOnLeave<Actions extends Held>(
  held: Actions,
  isTooMuch: (held: Actions) => boolean,
): void {
  useEffect(() => {
    const leave = () => held.flush({ isLeaving: true });
    const ask = (event: BeforeUnloadEvent) => {
      if (isTooMuch(held)) event.preventDefault();
    };
    addEventListener('pagehide', leave);
    addEventListener('beforeunload', ask);
    return () => {
      removeEventListener('pagehide', leave);
      removeEventListener('beforeunload', ask);
      held.flush();
    };
  }, [held, isTooMuch]);
}
