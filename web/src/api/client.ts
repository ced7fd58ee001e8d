import { RapsheetClient } from '../../../src/client/client.ts';
import { noticingSessionEnd } from './session-end.ts';

/**
 * The client of the signed-in user, authenticated by the session cookie. Every call carries
 * the header that other sites cannot set.
 */
export const client = new RapsheetClient({
  url: globalThis.location.origin,
  sameOrigin: true,
  fetch: noticingSessionEnd((input, init) => fetch(input, init)),
  // The page shows an error sooner than a script would give up.
  retries: 2,
  maxWaitMs: 6000,
});
