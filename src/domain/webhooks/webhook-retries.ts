import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../duration.ts';

/** The delays before the second attempt, the third, …: ten attempts over three days. */
const DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
/** Spreads the retries of deliveries that failed at the same time. */
const JITTER = 0.2;
const MAX_RETRY_AFTER_MS = DAY_MS;
const DISABLED_AFTER_MS = 5 * DAY_MS;
const MIN_PAUSE_MS = 5 * SECOND_MS;
const MAX_PAUSE_MS = 5 * MINUTE_MS;
/** After this long without a success, failed retries count against the endpoint too. */
const LONG_FAILING_MS = MINUTE_MS;

const GONE = 410;
const RETRY_AFTER_STATUSES: readonly number[] = [429, 503];

/** The response of an endpoint, or why there is none. */
export type AttemptResult =
  | { readonly status: number; readonly retryAfter: string | undefined }
  | { readonly failure: string };

export interface Attempt {
  readonly result: AttemptResult;
  /** The number of attempts, including this one. */
  readonly attempts: number;
  /** The time since which all earlier attempts at this endpoint failed. */
  readonly failingSince: Date | undefined;
  readonly now: Date;
  /** A random number from 0 to 1. */
  readonly chance: number;
}

/**
 * Whether nothing is sent to the endpoint until `pauseUntil`. `repeated`: only if another delivery
 * failed too since the last success, because an endpoint may reject a single message.
 */
export type Pause = 'always' | 'repeated' | 'never';

interface Failed {
  readonly status: number | undefined;
  readonly error: string;
  readonly pause: Pause;
  readonly pauseUntil: Date;
  readonly at: Date;
}

/** The state of a delivery after an attempt. */
export type AttemptOutcome =
  | { readonly kind: 'delivered'; readonly status: number; readonly at: Date }
  | (Failed & { readonly kind: 'again'; readonly dueAt: Date })
  /** `disable`: why the webhook is disabled, if it is. */
  | (Failed & { readonly kind: 'dead'; readonly disable: string | undefined })
  /** This service interrupted the attempt, which does not count. */
  | { readonly kind: 'released' };

export function judgeAttempt(attempt: Attempt): AttemptOutcome {
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

interface Failure {
  readonly status: number | undefined;
  readonly error: string;
  /** The delay that the receiver asks for. */
  readonly requestedMs?: number;
  readonly pause?: Pause;
  readonly disable?: string | undefined;
  /** Whether another attempt cannot succeed. */
  readonly isFinal?: boolean;
}

/** The next attempt after a failed one, or its end. */
export function judgeFailure(
  attempt: Omit<Attempt, 'result'>,
  { status, error, requestedMs = 0, pause = 'always', disable, isFinal = false }: Failure,
): Exclude<AttemptOutcome, { readonly kind: 'released' | 'delivered' }> {
  const { attempts, now, chance } = attempt;
  const pauseUntil = later(now, Math.max(pauseMs(attempt), requestedMs));
  const failed = { status, error, pause, pauseUntil, at: now };
  const delayMs = DELAYS_MS[attempts - 1];
  if (disable !== undefined || delayMs === undefined || isFinal)
    return { ...failed, kind: 'dead', disable };
  const dueAt = later(now, Math.max(delayMs * (1 + JITTER * chance), requestedMs));
  return { ...failed, kind: 'again', dueAt };
}

function reasonToDisable(attempt: Attempt, status: number | undefined): string | undefined {
  if (status === GONE) return 'The endpoint answered 410: it is gone.';
  return failingMs(attempt) >= DISABLED_AFTER_MS
    ? 'Every delivery failed for five days.'
    : undefined;
}

/**
 * Half of the time for which the endpoint has been failing: a short outage delays deliveries by
 * seconds, and an endpoint that is down gets a request every few minutes and does not block other
 * endpoints.
 */
function pauseMs(attempt: Omit<Attempt, 'result'>): number {
  return Math.min(Math.max(failingMs(attempt) / 2, MIN_PAUSE_MS), MAX_PAUSE_MS);
}

/** Messages that failed before fail again: that says little about the endpoint. */
function pauseAfter(attempt: Attempt): Pause {
  return attempt.attempts > 1 && failingMs(attempt) < LONG_FAILING_MS ? 'never' : 'repeated';
}

function failingMs({ failingSince, now }: Omit<Attempt, 'result'>): number {
  return failingSince === undefined ? 0 : now.getTime() - failingSince.getTime();
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

function later(now: Date, ms: number): Date {
  return new Date(now.getTime() + Math.ceil(ms));
}
