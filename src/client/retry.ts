import type { RapsheetError } from './error.ts';

/**
 * Whether a failed call may be retried.
 *
 * - `always`: the call is idempotent. Retried even if no answer came.
 * - `unprocessed`: a second call would act or charge twice. Retried only if the server states that
 *   nothing was done (429, 503), not after a broken connection.
 * - `never`: the caller needs the current state, or the body can be read only once.
 */
export type RetryPolicy = 'always' | 'unprocessed' | 'never';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;

/** Whether a retry may succeed and is safe. */
export function isRetryable(error: RapsheetError, retry: RetryPolicy): boolean {
  if (retry === 'never') return false;
  if (error.status === 429) return canWait(error);
  if (error.status === 503) return true;
  if (retry === 'unprocessed') return false;
  return error.code === 'no_answer' || error.status === 502 || error.status === 504;
}

function canWait({ code, retryAfterSeconds }: RapsheetError): boolean {
  // Waiting does not make a bad token valid.
  if (code === 'too_many_bad_tokens') return false;
  return !code.startsWith('quota_') || retryAfterSeconds !== undefined;
}

/**
 * The delay after attempt number `attempt`, counted from 1: `Retry-After` if the server sent it,
 * else exponential. The random part spreads the retries of clients that failed at the same time.
 */
export function retryDelayMs(attempt: number, error: RapsheetError, random: number): number {
  if (error.retryAfterSeconds !== undefined)
    return error.retryAfterSeconds * 1000 + Math.round(random * FIRST_WAIT_MS);
  const cap = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  return Math.round(cap / 2 + (random * cap) / 2);
}
