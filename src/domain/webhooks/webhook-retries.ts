import {
  type Attempt,
  type AttemptOutcome,
  failingMs,
  judgeFailure,
  type Pause,
} from '../deliveries/retries.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../duration.ts';

const MAX_RETRY_AFTER_MS = DAY_MS;
const DISABLED_AFTER_MS = 5 * DAY_MS;
/** After this long without a success, failed retries count against the endpoint too. */
const LONG_FAILING_MS = MINUTE_MS;

const GONE = 410;
const RETRY_AFTER_STATUSES: readonly number[] = [429, 503];

/** The response of an endpoint, or why there is none. */
export type AttemptResult =
  | { readonly status: number; readonly retryAfter: string | undefined }
  | { readonly failure: string };

export interface WebhookAttempt extends Attempt {
  readonly result: AttemptResult;
}

export function judgeAttempt(attempt: WebhookAttempt): AttemptOutcome {
  const { result, now } = attempt;
  const status = 'status' in result ? result.status : undefined;
  if (status !== undefined && status >= 200 && status < 300)
    return { kind: 'delivered', status, at: now };
  const requestedMs = requestedDelayMs(result, now);
  return judgeFailure(attempt, {
    status,
    error: 'failure' in result ? result.failure : `The endpoint answered ${status}.`,
    requestedMs,
    pause: requestedMs > 0 ? 'always' : pauseAfter(attempt),
    disable: reasonToDisable(attempt, status),
  });
}

function reasonToDisable(attempt: WebhookAttempt, status: number | undefined): string | undefined {
  if (status === GONE) return 'The endpoint answered 410: it is gone.';
  return failingMs(attempt) >= DISABLED_AFTER_MS
    ? 'Every delivery failed for five days.'
    : undefined;
}

/** Messages that failed before fail again: that says little about the endpoint. */
function pauseAfter(attempt: WebhookAttempt): Pause {
  return attempt.attempts > 1 && failingMs(attempt) < LONG_FAILING_MS ? 'never' : 'repeated';
}

function requestedDelayMs(result: AttemptResult, now: Date): number {
  if (!('status' in result) || !RETRY_AFTER_STATUSES.includes(result.status)) return 0;
  return Math.min(parseRetryAfter(result.retryAfter ?? '', now), MAX_RETRY_AFTER_MS);
}

/** Seconds or an HTTP date (RFC 9110, section 10.2.3). Any other text counts as 0. */
function parseRetryAfter(text: string, now: Date): number {
  if (/^\d{1,15}$/.test(text)) return Number(text) * SECOND_MS;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return 0;
  const ms = Date.parse(text) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.max(ms, 0);
}
