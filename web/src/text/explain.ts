import { RapsheetError } from '../../../src/client/error.ts';

interface Explanation {
  readonly title: string;
  readonly text: string;
  readonly requestId?: string | undefined;
  /** Whether repeating the request is useless, because it will be refused again. */
  readonly isFinal?: boolean;
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
    return { title: 'No units are left', text: message, requestId };
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
