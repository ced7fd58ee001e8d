/** What a slice of reading may take before the event loop turns. A statement is never cut. */
const SLICE_MS = 4;
/** The same for writing: most group commits fit into it, and need not stay open over a turn. */
const WRITE_SLICE_MS = 8;

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
  begin(kind: 'read' | 'write'): () => boolean {
    const end = this.#now() + (kind === 'read' ? SLICE_MS : WRITE_SLICE_MS);
    return () => this.#now() >= end;
  }
}

/** For a database with a single connection: others must not see half of a transaction, so nothing pauses. */
export const WITHOUT_PAUSE = (): boolean => false;
