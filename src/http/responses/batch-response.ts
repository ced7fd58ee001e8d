import { Readable } from 'node:stream';
import type { Lease, MemoryBudget } from '../gate/memory-budget.ts';

/**
 * What may wait for a caller that sends all of its body before it reads: several times what ten thousand results
 * usually take.
 */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

/** Lines of an answer that are made while the body still arrives, counted as long as they are unread. */
export class BatchResponse extends Readable {
  readonly #memory: MemoryBudget;
  readonly #accountId: string;
  #held: Lease | undefined;
  #wake: () => void = () => undefined;

  constructor(memory: MemoryBudget, accountId: string) {
    super();
    this.#memory = memory;
    this.#accountId = accountId;
  }

  /** Waits for the caller to read only where very much is unread. */
  async add(lines: string): Promise<void> {
    if (this.destroyed) return;
    this.push(lines);
    this.#count();
    if (this.readableLength < MAX_UNREAD_BYTES) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await promise;
  }

  override _read(): void {
    this.#count();
    this.#wake();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#held?.release();
    this.#wake();
    done(error);
  }

  #count(): void {
    this.#held?.release();
    if (this.destroyed) return;
    this.#held = this.#memory.hold('answers', this.readableLength, this.#accountId);
  }
}
