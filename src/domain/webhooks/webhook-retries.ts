import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../duration.ts';

/** Before the second attempt, before the third, …: ten attempts over three days. */
const WAITS_MS: readonly number[] = [
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
/** Deliveries that failed together shall not come back together. */
const JITTER = 0.2;
const LONGEST_RETRY_AFTER_MS = DAY_MS;
const DISABLED_AFTER_MS = 5 * DAY_MS;
const SHORTEST_PAUSE_MS = 5 * SECOND_MS;
const LONGEST_PAUSE_MS = 5 * MINUTE_MS;

const GONE = 410;
const HEEDS_RETRY_AFTER: readonly number[] = [429, 503];

/** What an endpoint answered, or why it did not. */
export type AttemptResult =
  | { readonly status: number; readonly retryAfter: string | undefined }
  | { readonly failure: string };

export interface Attempt {
  readonly result: AttemptResult;
  /** How many were made, this one included. */
  readonly attempts: number;
  /** Since when every attempt at this endpoint failed, before this one. */
  readonly failingSince: Date | undefined;
  readonly now: Date;
  /** From 0 to 1. */
  readonly chance: number;
}

interface Failed {
  readonly status: number | undefined;
  readonly error: string;
  /** Until then nothing is sent to the endpoint: its other deliveries would fare no better. */
  readonly pauseUntil: Date;
  readonly at: Date;
}

/** What becomes of a delivery after an attempt. */
export type AttemptOutcome =
  | { readonly kind: 'delivered'; readonly status: number; readonly at: Date }
  | (Failed & { readonly kind: 'again'; readonly dueAt: Date })
  /** `disable`: why the endpoint gets no more of them. */
  | (Failed & { readonly kind: 'dead'; readonly disable: string | undefined })
  /** It was broken off by us, and does not count. */
  | { readonly kind: 'released' };

export function judgeAttempt(attempt: Attempt): AttemptOutcome {
  const { result, attempts, now, chance } = attempt;
  const status = 'status' in result ? result.status : undefined;
  if (status !== undefined && status >= 200 && status < 300)
    return { kind: 'delivered', status, at: now };

  const asked = askedToWaitMs(result, now);
  const failed = {
    status,
    error: 'failure' in result ? result.failure : `The endpoint answered ${status}.`,
    pauseUntil: later(now, Math.max(pauseMs(attempt), asked)),
    at: now,
  };
  const disable = reasonToDisable(attempt, status);
  const wait = WAITS_MS[attempts - 1];
  if (disable !== undefined || wait === undefined) return { ...failed, kind: 'dead', disable };
  const dueAt = later(now, Math.max(wait * (1 + JITTER * chance), asked));
  return { ...failed, kind: 'again', dueAt };
}

function reasonToDisable(
  { failingSince, now }: Attempt,
  status: number | undefined,
): string | undefined {
  if (status === GONE) return 'The endpoint answered 410: it is gone.';
  const failingMs = failingSince === undefined ? 0 : now.getTime() - failingSince.getTime();
  return failingMs >= DISABLED_AFTER_MS ? 'Every delivery failed for five days.' : undefined;
}

/**
 * Half as long as it has been failing already: a hiccup costs seconds, an endpoint that is down is asked every few
 * minutes, and with its backlog it never takes the connections of others.
 */
function pauseMs({ failingSince, now }: Attempt): number {
  const failingMs = failingSince === undefined ? 0 : now.getTime() - failingSince.getTime();
  return Math.min(Math.max(failingMs / 2, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
}

function askedToWaitMs(result: AttemptResult, now: Date): number {
  if (!('status' in result) || !HEEDS_RETRY_AFTER.includes(result.status)) return 0;
  return Math.min(parseRetryAfter(result.retryAfter ?? '', now), LONGEST_RETRY_AFTER_MS);
}

/** Seconds, or a date as HTTP writes it (RFC 9110, section 10.2.3). Anything else asks for nothing. */
function parseRetryAfter(text: string, now: Date): number {
  if (/^\d{1,15}$/.test(text)) return Number(text) * SECOND_MS;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return 0;
  const ms = Date.parse(text) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.max(ms, 0);
}

function later(now: Date, ms: number): Date {
  return new Date(now.getTime() + Math.ceil(ms));
}
