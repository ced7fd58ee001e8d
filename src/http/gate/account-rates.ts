import type { AccountLimits, RateLimit } from '../../domain/accounts/account-limits.ts';

/** Accounts whose buckets are not full. Beyond that the oldest are forgotten, as if they were full. */
const MAX_ACCOUNTS = 10_000;
const MINUTE_MS = 60_000;
/** Sums of units that are no whole milliseconds are not exact. */
const ROUNDING_MS = 1e-3;

/** What is left after a call. */
export interface RateState {
  readonly isTaken: boolean;
  readonly remaining: number;
  /** Until there is a unit again where none is left; until the bucket is full otherwise. */
  readonly resetMs: number;
}

/**
 * A token bucket for each account, in this process. All that is kept of one is when it will be full again (the generic
 * cell rate algorithm): an account whose moment has passed has a full bucket.
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

  /** Takes one unit, if there is one. */
  take(accountId: string): RateState {
    const ms = this.#msUntilFull(accountId);
    const isTaken = this.#hasUnit(ms);
    if (isTaken) this.#setMsUntilFull(accountId, ms + this.#unitMs);
    return this.#stateOf(isTaken, isTaken ? ms + this.#unitMs : ms);
  }

  /** Looks whether there is a unit, and takes none. */
  peek(accountId: string): RateState {
    const ms = this.#msUntilFull(accountId);
    return this.#stateOf(this.#hasUnit(ms), ms);
  }

  /** How many to reserve at a time: what is there, or else as many as come in a second. */
  nextPortion(accountId: string): number {
    return Math.max(1, this.peek(accountId).remaining, Math.floor(this.perMinute / 60));
  }

  /** Takes so many, also those that are not there yet. Returns for how long to wait until they are. */
  reserve(accountId: string, units: number): number {
    const ms = this.#msUntilFull(accountId) + units * this.#unitMs;
    this.#setMsUntilFull(accountId, ms);
    return Math.max(0, ms - this.fillMs);
  }

  /** For how long the bucket would have to fill until it is full. */
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

  #stateOf(isTaken: boolean, ms: number): RateState {
    const remaining = Math.max(0, Math.floor((this.fillMs - ms + ROUNDING_MS) / this.#unitMs));
    const resetMs = remaining === 0 ? ms + this.#unitMs - this.fillMs : ms;
    return { isTaken, remaining, resetMs };
  }
}

export interface AccountRates {
  /** `undefined` where there is no limit. */
  readonly create: AccountRate | undefined;
  readonly upload: AccountRate | undefined;
}

/** The clock must not be one that can be set. */
export function createRates(
  { createRate, uploadRate }: AccountLimits,
  nowMs: () => number = () => performance.now(),
): AccountRates {
  const rateOf = ({ perMinute, burst }: RateLimit) =>
    perMinute === undefined ? undefined : new AccountRate(perMinute, burst, nowMs);
  return { create: rateOf(createRate), upload: rateOf(uploadRate) };
}
