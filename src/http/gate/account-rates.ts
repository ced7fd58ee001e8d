import type { AccountLimits, RateLimit } from '../../domain/accounts/account-limits.ts';

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

/**
 * A token bucket per account, local to this process. It stores only the time at which the bucket is
 * full again (generic cell rate algorithm); a bucket whose time has passed is full.
 */
export class AccountRate {
  readonly perMinute: number;
  readonly burst: number;
  /** How long an empty bucket takes to fill. */
  readonly fillMs: number;
  readonly #unitMs: number;
  readonly #fullAt = new Map<string, number>();
  readonly #nowMs: () => number;

  constructor(perMinute: number, burst: number, nowMs: () => number) {
    this.perMinute = perMinute;
    this.burst = burst;
    this.#unitMs = MINUTE_MS / perMinute;
    this.fillMs = burst * this.#unitMs;
    this.#nowMs = nowMs;
  }

  /** Takes one unit if there is one. */
  take(accountId: string): RateState {
    return this.takeAll(accountId, 1);
  }

  /**
   * Takes the units if there are as many, or if the bucket is full: otherwise a call of more units
   * than the burst would never be allowed. If not, `resetMs` is the time until there are.
   */
  takeAll(accountId: string, units: number): RateState {
    const ms = this.#msUntilFull(accountId);
    const missingMs = ms + Math.min(units, this.burst) * this.#unitMs - this.fillMs;
    if (missingMs > ROUNDING_MS) return { ...this.#stateOf(false, ms), resetMs: missingMs };
    this.#setMsUntilFull(accountId, ms + units * this.#unitMs);
    return this.#stateOf(true, ms + units * this.#unitMs);
  }

  /** Returns the state without taking a unit. */
  peek(accountId: string): RateState {
    const ms = this.#msUntilFull(accountId);
    return this.#stateOf(this.#hasUnit(ms), ms);
  }

  /** How many units a batch reserves at a time: all that are left, or one second's worth. */
  nextPortion(accountId: string): number {
    return Math.max(1, this.peek(accountId).remaining, Math.floor(this.perMinute / 60));
  }

  /**
   * Takes the units even if the bucket does not hold them yet. Returns how long to wait until it
   * would.
   */
  reserve(accountId: string, units: number): number {
    const ms = this.#msUntilFull(accountId) + units * this.#unitMs;
    this.#setMsUntilFull(accountId, ms);
    return Math.max(0, ms - this.fillMs);
  }

  #msUntilFull(accountId: string): number {
    const fullAt = this.#fullAt.get(accountId);
    return fullAt === undefined ? 0 : Math.max(0, fullAt - this.#nowMs());
  }

  #hasUnit(emptyMs: number): boolean {
    return emptyMs + this.#unitMs <= this.fillMs + ROUNDING_MS;
  }

  #setMsUntilFull(accountId: string, ms: number): void {
    if (this.#fullAt.size >= MAX_ACCOUNTS && !this.#fullAt.has(accountId)) this.#evict();
    this.#fullAt.set(accountId, this.#nowMs() + ms);
  }

  #evict(): void {
    const now = this.#nowMs();
    for (const [accountId, fullAt] of this.#fullAt)
      if (fullAt <= now) this.#fullAt.delete(accountId);
    const oldest = this.#fullAt.keys().next().value;
    if (this.#fullAt.size >= MAX_ACCOUNTS && oldest !== undefined) this.#fullAt.delete(oldest);
  }

  #stateOf(isAllowed: boolean, ms: number): RateState {
    const remaining = Math.max(0, Math.floor((this.fillMs - ms + ROUNDING_MS) / this.#unitMs));
    const resetMs = remaining === 0 ? ms + this.#unitMs - this.fillMs : ms;
    return { isAllowed, remaining, resetMs };
  }
}

export interface AccountRates {
  /** `undefined` if there is no limit. */
  readonly create: AccountRate | undefined;
  readonly upload: AccountRate | undefined;
}

/** `nowMs` must be a monotonic clock. */
export function createRates(
  { createRate, uploadRate }: AccountLimits,
  nowMs: () => number = () => performance.now(),
): AccountRates {
  const rateOf = ({ perMinute, burst }: RateLimit) =>
    perMinute === undefined ? undefined : new AccountRate(perMinute, burst, nowMs);
  return { create: rateOf(createRate), upload: rateOf(uploadRate) };
}
