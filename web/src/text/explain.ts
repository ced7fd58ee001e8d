import { RapsheetError } from '../../../src/client/error.ts';

interface Explanation {
  readonly title: string;
  readonly text: string;
  readonly requestId?: string | undefined;
  /** Whether repeating the request is useless, because it will be refused again. */
  readonly isFinal?: boolean;
}

/** The page speaks of units: other calls than lookups take them too. */
function quotaText(code: string, message: string): string {
  return code === 'quota_exhausted'
    ? 'Your account page shows when the quota is renewed. An operator can add units.'
    : message.replaceAll('lookups', 'units');
}

/** An error in the words of the page. */
export function explain(error: unknown): Explanation {
  if (!(error instanceof RapsheetError))
    return {
      title: 'The page failed',
      text: 'This is a defect of the application. Reload the page to go on.',
    };
  const { status, code, message, requestId } = error;
  if (status === undefined)
    return {
      title: 'The server does not answer',
      text: 'It may be restarting, or the network is down.',
    };
  if (code === 'quota_exhausted' || code === 'quota_insufficient')
    return { title: 'No units are left', text: quotaText(code, message), requestId };
  // What the server says of tokens concerns programs: a browser has a session.
  if (code === 'token_missing' || code === 'session_expired')
    return {
      title: 'Your session has ended',
      text: 'Your session has ended. Sign in again: you come back to this page.',
      requestId,
    };
  if (status === 403) return { title: 'You may not do this', text: message, requestId };
  if (status === 404) return { title: 'Not found', text: message, requestId, isFinal: true };
  if (status === 400)
    return { title: 'The server refused this', text: message, requestId, isFinal: true };
  return {
    title: status < 500 ? 'The server refused this' : 'The server failed',
    text: message,
    requestId,
  };
}
