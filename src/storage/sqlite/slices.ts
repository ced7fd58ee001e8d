/** Time for reads before they yield to the event loop. Statements are not interrupted. */
const SLICE_MS = 4;
/** The same for writes. Most group commits fit, so their transaction ends in the same turn. */
const WRITE_SLICE_MS = 8;

/**
 * Divides database work into time slices. SQLite statements run on the event loop, so a unit that
 * takes longer than a slice pauses to let requests, timers and other units run.
 */
export class Slices {
  readonly #now: () => number;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  now(): number {
    return this.#now();
  }

  /** Begins a slice. The returned function is true once the slice is over. */
  begin(kind: 'read' | 'write'): () => boolean {
    const end = this.#now() + (kind === 'read' ? SLICE_MS : WRITE_SLICE_MS);
    return () => this.#now() >= end;
  }
}

/**
 * For a database with a single connection, on which a read during a pause would see uncommitted
 * rows.
 */
export const WITHOUT_PAUSE = (): boolean => false;
