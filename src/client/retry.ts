import type { RapsheetError } from './error.ts';

/**
 * What may be done when a call failed.
 *
 * - `always`: calling again does no harm. Tried again also where no answer came.
 * - `untouched`: calling again would do or charge it twice. Tried again only where the server says that
 *   nothing was done (429, 503). After a broken connection nobody knows.
 * - `never`: the caller wants to know how it is now, or the body can be read only once.
 */
export type Repeat = 'always' | 'untouched' | 'never';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;

/** Whether calling again may help and does no harm. */
export function isWorthRepeating(error: RapsheetError, repeat: Repeat): boolean {
  if (repeat === 'never') return false;
  if (error.status === 429) return canWait(error);
  if (error.status === 503) return true;
  if (repeat === 'untouched') return false;
  return error.code === 'no_answer' || error.status === 502 || error.status === 504;
}

function canWait({ code, retryAfterSeconds }: RapsheetError): boolean {
  // A bad token stays bad, however long one waits.
  if (code === 'too_many_bad_tokens') return false;
  return !code.startsWith('quota_') || retryAfterSeconds !== undefined;
}

/**
 * How long to wait before attempt number `attempt`, counted from 1. What the server asks for is kept to; the
 * random part keeps many clients that failed together from coming back together.
 */
export function waitBefore(attempt: number, error: RapsheetError, random: number): number {
  if (error.retryAfterSeconds !== undefined)
    return error.retryAfterSeconds * 1000 + Math.round(random * FIRST_WAIT_MS);
  const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  return Math.round(most / 2 + (random * most) / 2);
}
