import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../duration.ts';

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
const MIN_PAUSE_MS = 5 * SECOND_MS;
const MAX_PAUSE_MS = 5 * MINUTE_MS;

/** An attempt at a delivery, by webhook or by mail. */
export interface Attempt {
  /** The number of attempts, including this one. */
  readonly attempts: number;
  /** The time since which all earlier attempts at this destination failed. */
  readonly failingSince: Date | undefined;
  readonly now: Date;
  /** A random number from 0 to 1. */
  readonly chance: number;
}

/**
 * Whether nothing is sent to the destination until `pauseUntil`. `repeated`: only if another
 * delivery failed too since the last success, because an endpoint may reject a single message.
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

/** How an attempt failed. */
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
  attempt: Attempt,
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

/**
 * Half of the time for which the endpoint has been failing: a short outage delays deliveries by
 * seconds, and an endpoint that is down gets a request every few minutes and does not block other
 * endpoints.
 */
function pauseMs(attempt: Attempt): number {
  return Math.min(Math.max(failingMs(attempt) / 2, MIN_PAUSE_MS), MAX_PAUSE_MS);
}

/** How long the destination has been failing. */
export function failingMs({ failingSince, now }: Attempt): number {
  return failingSince === undefined ? 0 : now.getTime() - failingSince.getTime();
}

function later(now: Date, ms: number): Date {
  return new Date(now.getTime() + Math.ceil(ms));
}
