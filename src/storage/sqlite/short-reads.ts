import type { Connection } from './connection.ts';
import { Execution } from './execution.ts';
import { asProblem } from './failures.ts';
import type { Waiting } from './lane.ts';
import { type Slices, WITHOUT_PAUSE } from './slices.ts';
import type { SnapshotReads } from './snapshot-reads.ts';

/** Time that short reads may take in one turn of the event loop, together. The last one begun may go beyond by a slice. */
const TURN_MS = 4;

export interface ShortReadOptions {
  readonly slices: Slices;
  /** A connection on which no transaction is open. */
  readonly connection: () => Connection;
  /** Where a read that does not end within a slice is run; without it, every read runs in one turn. */
  readonly long: SnapshotReads | undefined;
}

/**
 * Runs reads at once, in the turn in which they were asked for, for as long as that turn has time left; the others wait
 * for the next turns, in order. A read that is not done within a slice is abandoned and begun again as a long read.
 */
export class ShortReads {
  readonly #options: ShortReadOptions;
  readonly #waiting: Waiting[] = [];
  #usedMs = 0;
  #isScheduled = false;

  constructor(options: ShortReadOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(waiting: Waiting): void {
    if (this.isEmpty && this.#usedMs < TURN_MS) this.#run(waiting);
    else this.#waiting.push(waiting);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
  }

  /** A new turn: what waits runs first. */
  #turn(): void {
    this.#isScheduled = false;
    this.#usedMs = 0;
    while (this.#usedMs < TURN_MS) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#run(next);
    }
    if (!this.isEmpty || this.#usedMs > 0) this.#schedule();
  }

  #run(waiting: Waiting): void {
    const { slices, long } = this.#options;
    const startedAt = slices.now();
    const isOver = long === undefined ? WITHOUT_PAUSE : slices.begin('read');
    try {
      const result = this.#perform(waiting, isOver);
      if (result === undefined) this.#handOver(waiting);
      else waiting.resolve(result.value);
    } catch (cause) {
      waiting.reject(asProblem(cause));
    }
    if (long !== undefined) this.#usedMs += slices.now() - startedAt;
  }

  /** In a read transaction: begun and ended once, it costs less than a lock for each statement. */
  #perform(waiting: Waiting, isOver: () => boolean): { readonly value: unknown } | undefined {
    const connection = this.#options.connection();
    try {
      connection.begin('read');
      const execution = new Execution(connection.statements, waiting.work());
      if (!execution.advance(isOver)) return undefined;
      connection.commit();
      return { value: execution.result };
    } finally {
      connection.rollback();
    }
  }

  /** Calls that were gathered into one unit are run one by one: each of them alone may be short. */
  #handOver(waiting: Waiting): void {
    const calls = waiting.split?.() ?? [];
    if (calls.length > 1) this.#waiting.push(...calls);
    else this.#options.long?.add(waiting);
  }
}
