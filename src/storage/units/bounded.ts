/** What was found, and whether a bound of the search was reached: then there may be more. */
export interface Bounded<Found> {
  readonly found: readonly Found[];
  readonly isBounded: boolean;
}
