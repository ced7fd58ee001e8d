import { RapsheetClient } from '../../../src/client/client.ts';

/**
 * The client of the signed-in user, authenticated by the session cookie. The header proves to the
 * server that a page of its own sends the request: other sites cannot set it.
 */
export const client = new RapsheetClient({
  url: globalThis.location.origin,
  // The page shows an error sooner than a script would give up.
  retries: 2,
  maxWaitMs: 6000,
  fetch: (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('x-rapsheet-request', '1');
    return fetch(input, { ...init, headers, credentials: 'same-origin' });
  },
});
