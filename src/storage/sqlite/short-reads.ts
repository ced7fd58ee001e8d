import type { Connection } from './connection.ts';
import { Execution } from './execution.ts';
import { asProblem } from './failures.ts';
import type { PendingUnit } from './pending-units.ts';
import { type Slices, WITHOUT_PAUSE } from './slices.ts';
import type { SnapshotReads } from './snapshot-reads.ts';

/**
 * Time for all short reads of one turn of the event loop. The last one may exceed it by a slice.
 */
const TURN_MS = 4;

export interface ShortReadOptions {
  readonly slices: Slices;
  /** Returns a connection without an open transaction. */
  readonly connection: () => Connection;
  /** Takes over reads that exceed a slice. If undefined, every read runs in one turn. */
  readonly long: SnapshotReads | undefined;
}

/**
 * Runs a read in the turn of its call if that turn has time left, else in one of the next turns, in
 * order. A read that exceeds a slice is aborted and starts again as a long read.
 */
export class ShortReads {
  readonly #options: ShortReadOptions;
  readonly #pending: PendingUnit[] = [];
  #usedMs = 0;
  #isScheduled = false;

  constructor(options: ShortReadOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  add(unit: PendingUnit): void {
    if (this.isEmpty && this.#usedMs < TURN_MS) this.#run(unit);
    else this.#pending.push(unit);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
  }

  /** Pending reads run before the new ones of this turn. */
  #turn(): void {
    this.#isScheduled = false;
    this.#usedMs = 0;
    while (this.#usedMs < TURN_MS) {
      const next = this.#pending.shift();
      if (next === undefined) break;
      this.#run(next);
    }
    if (!this.isEmpty || this.#usedMs > 0) this.#schedule();
  }

  #run(unit: PendingUnit): void {
    const { slices, long } = this.#options;
    const startedAt = slices.now();
    const isOver = long === undefined ? WITHOUT_PAUSE : slices.begin('read');
    try {
      const result = this.#perform(unit, isOver);
      if (result === undefined) this.#runAsLong(unit);
      else unit.resolve(result.value);
    } catch (cause) {
      unit.reject(asProblem(cause));
    }
    if (long !== undefined) this.#usedMs += slices.now() - startedAt;
  }

  /** One read transaction takes the file lock once instead of once per statement. */
  #perform(unit: PendingUnit, isOver: () => boolean): { readonly value: unknown } | undefined {
    const connection = this.#options.connection();
    try {
      connection.begin('read');
      const execution = new Execution(connection.statements, unit.work());
      if (!execution.advance(isOver)) return undefined;
      connection.commit();
      return { value: execution.result };
    } finally {
      connection.rollback();
    }
  }

  /** The calls of a batch run one by one: each on its own may be short. */
  #runAsLong(unit: PendingUnit): void {
    const calls = unit.split?.() ?? [];
    if (calls.length > 1) this.#pending.push(...calls);
    else this.#options.long?.add(unit);
  }
}
