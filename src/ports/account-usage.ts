import type { ChargedOperation } from '../domain/accounts/usage.ts';

export interface DayUnits {
  /** UTC, `2026-01-31`. */
  readonly day: string;
  readonly units: number;
}

/** What units are charged for, and on whose behalf. */
export interface ChargeKey {
  /** `undefined` for a session that a sign-in link started. */
  readonly tokenId: string | undefined;
  readonly operation: ChargedOperation;
}

export interface ChargedUnits extends ChargeKey {
  readonly units: number;
}

/** The units of one day, token and operation. */
export interface DayCharge {
  readonly day: string;
  readonly operation: string;
  readonly tokenId: string | undefined;
  /** `undefined` if there is no `tokenId`, or no such token any more. */
  readonly token: ChargedToken | undefined;
  /** 0 if all were refunded. */
  readonly units: number;
  /** The first and the last charge, refunded ones included. */
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** A token, also a revoked one. */
export interface ChargedToken {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
}

/** A position in the list of charges. */
export interface ChargePosition {
  readonly day: string;
  /** Empty for none. */
  readonly tokenId: string;
  readonly operation: string;
}

export interface UsageRequest {
  /** The days from this one to that one, both included. */
  readonly from: string;
  readonly to: string;
  /** Only charges after this one. */
  readonly after?: ChargePosition | undefined;
  readonly limit: number;
}

export interface AccountUsage {
  /** The days with a charge. */
  readonly days: readonly DayUnits[];
  /** Newest day first, at most `limit`. */
  readonly charges: readonly DayCharge[];
  /** Charges up to this day were not itemised, or not all of them. */
  readonly itemisedAfter: string;
}
