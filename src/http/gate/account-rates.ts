import type { AccountLimits, CreateRate, RateLimit } from '../../domain/accounts/account-limits.ts';

/**
 * The number of buckets that are tracked. Beyond it the oldest are evicted, which counts them as
 * full.
 */
const MAX_ACCOUNTS = 10_000;
const MINUTE_MS = 60_000;
/** Tolerance for rounding errors in sums of fractional milliseconds. */
const ROUNDING_MS = 1e-3;

/** The state of a bucket after a call. */
export interface RateState {
  /** Whether there was a unit for the call. */
  readonly isAllowed: boolean;
  readonly remaining: number;
  /** Milliseconds until the next unit if none is left; otherwise until the bucket is full. */
  readonly resetMs: number;
}

/** The size of a bucket and how fast it fills. */
interface Bucket {
  readonly perMinute: number;
  readonly burst: number;
  readonly unitMs: number;
  /** How long an empty bucket takes to fill. */
  readonly fillMs: number;
}

function bucketOf({ perMinute, burst }: CreateRate): Bucket {
  const unitMs = MINUTE_MS / perMinute;
  return { perMinute, burst, unitMs, fillMs: burst * unitMs };
}

interface Level {
  readonly fullAt: number;
  /** The `unitMs` of the bucket at that time: an account may get another bucket. */
  readonly unitMs: number;
}

/** Without a limit. */
const UNLIMITED: RateState = { isAllowed: true, remaining: Number.POSITIVE_INFINITY, resetMs: 0 };

/**
 * A token bucket per account, local to this process. It stores only the time at which the bucket is
 * full again (generic cell rate algorithm); a bucket whose time has passed is full. `own` is the
 * rate of that account, if it has one.
 */
export class AccountRate {
  /** `undefined` if only accounts with a rate of their own are limited. */
  readonly #bucket: Bucket | undefined;
  readonly #levels = new Map<string, Level>();
  readonly #nowMs: () => number;

  constructor(perMinute: number | undefined, burst: number, nowMs: () => number) {
    this.#bucket = perMinute === undefined ? undefined : bucketOf({ perMinute, burst });
    this.#nowMs = nowMs;
  }

  /** The rate that applies to an account; `undefined` if none does. */
  rateOf(own?: CreateRate): Readonly<CreateRate & { fillMs: number }> | undefined {
    return this.#bucketOf(own);
  }

  /** Takes one unit if there is one. */
  take(accountId: string, own?: CreateRate): RateState {
    return this.takeAll(accountId, 1, own);
  }

  /**
   * Takes the units if there are as many, or if the bucket is full: otherwise a call of more units
   * than the burst would never be allowed. If not, `resetMs` is the time until there are.
   */
  takeAll(accountId: string, units: number, own?: CreateRate): RateState {
    const bucket = this.#bucketOf(own);
    if (bucket === undefined) return UNLIMITED;
    const { burst, unitMs, fillMs } = bucket;
    const ms = this.#msUntilFull(accountId, bucket);
    const missingMs = ms + Math.min(units, burst) * unitMs - fillMs;
    if (missingMs > ROUNDING_MS) return { ...stateOf(bucket, false, ms), resetMs: missingMs };
    this.#setMsUntilFull(accountId, bucket, ms + units * unitMs);
    return stateOf(bucket, true, ms + units * unitMs);
  }

  /** Returns the state without taking a unit. */
  peek(accountId: string, own?: CreateRate): RateState {
    const bucket = this.#bucketOf(own);
    if (bucket === undefined) return UNLIMITED;
    const ms = this.#msUntilFull(accountId, bucket);
    return stateOf(bucket, hasUnit(bucket, ms), ms);
  }

  /** How many units a batch reserves at a time: all that are left, or one second's worth. */
  nextPortion(accountId: string, own?: CreateRate): number {
    const perMinute = this.#bucketOf(own)?.perMinute ?? 0;
    return Math.max(1, this.peek(accountId, own).remaining, Math.floor(perMinute / 60));
  }

  /**
   * Takes the units even if the bucket does not hold them yet. Returns how long to wait until it
   * would.
   */
  reserve(accountId: string, units: number, own?: CreateRate): number {
    const bucket = this.#bucketOf(own);
    if (bucket === undefined) return 0;
    const ms = this.#msUntilFull(accountId, bucket) + units * bucket.unitMs;
    this.#setMsUntilFull(accountId, bucket, ms);
    return Math.max(0, ms - bucket.fillMs);
  }

  #bucketOf(own: CreateRate | undefined): Bucket | undefined {
    return own === undefined ? this.#bucket : bucketOf(own);
  }

  /** Units that were taken from another bucket stay taken, but not more than the new one has. */
  #msUntilFull(accountId: string, { unitMs, fillMs }: Bucket): number {
    const level = this.#levels.get(accountId);
    if (level === undefined) return 0;
    const ms = Math.max(0, level.fullAt - this.#nowMs());
    return level.unitMs === unitMs ? ms : Math.min(fillMs, (ms / level.unitMs) * unitMs);
  }

  #setMsUntilFull(accountId: string, { unitMs }: Bucket, ms: number): void {
    if (this.#levels.size >= MAX_ACCOUNTS && !this.#levels.has(accountId)) this.#evict();
    this.#levels.set(accountId, { fullAt: this.#nowMs() + ms, unitMs });
  }

  #evict(): void {
    const now = this.#nowMs();
    for (const [accountId, { fullAt }] of this.#levels)
      if (fullAt <= now) this.#levels.delete(accountId);
    const oldest = this.#levels.keys().next().value;
    if (this.#levels.size >= MAX_ACCOUNTS && oldest !== undefined) this.#levels.delete(oldest);
  }
}

function hasUnit({ unitMs, fillMs }: Bucket, emptyMs: number): boolean {
  return emptyMs + unitMs <= fillMs + ROUNDING_MS;
}

function stateOf({ unitMs, fillMs }: Bucket, isAllowed: boolean, ms: number): RateState {
  const remaining = Math.max(0, Math.floor((fillMs - ms + ROUNDING_MS) / unitMs));
  const resetMs = remaining === 0 ? ms + unitMs - fillMs : ms;
  return { isAllowed, remaining, resetMs };
}

export interface AccountRates {
  readonly create: AccountRate;
  readonly upload: AccountRate;
}

/** `nowMs` must be a monotonic clock. */
export function createRates(
  { createRate, uploadRate }: AccountLimits,
  nowMs: () => number = () => performance.now(),
): AccountRates {
  const rateOf = ({ perMinute, burst }: RateLimit) => new AccountRate(perMinute, burst, nowMs);
  return { create: rateOf(createRate), upload: rateOf(uploadRate) };
}
