import { useEffect } from 'react';
import { RapsheetClient } from '../../../src/client/client.ts';

/** Its calls are completed when the page is left. Nobody would see a retry. */
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
 * Sends what waits when the view is closed or the page is left. If that is more than a browser
 * sends then, it asks before the page is left. Both arguments must be the same in every render.
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
