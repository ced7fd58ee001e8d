/** Processor time that one slice of database work may take before the event loop turns. A statement is never cut. */
const SLICE_MS = 4;

/**
 * Divides database work into slices. On SQLite a statement runs on the event loop, so whatever takes longer than a slice
 * pauses there, and requests, timers and other work have their turn in between.
 */
export class Slices {
  readonly #now: () => number;

  /** The clock in milliseconds; tests set their own. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  now(): number {
    return this.#now();
  }

  /** Begins a slice. The function returned tells whether it is over. */
  begin(): () => boolean {
    const end = this.#now() + SLICE_MS;
    return () => this.#now() >= end;
  }
}

/** For a database with a single connection: others must not see half of a transaction, so nothing pauses. */
export const WITHOUT_PAUSE = (): boolean => false;
