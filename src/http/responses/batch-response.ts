import { Readable } from 'node:stream';
import type { HeldMemory, MemoryBudget } from '../gate/memory-budget.ts';

/**
 * Buffer for clients that send their whole body before they read: several times the usual size of
 * ten thousand results.
 */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

/**
 * A response that is produced while the body still arrives. Unread lines are counted against the
 * memory budget.
 */
export class BatchResponse extends Readable {
  readonly #memory: MemoryBudget;
  readonly #accountId: string;
  #held: HeldMemory | undefined;
  #wake: () => void = () => undefined;

  constructor(memory: MemoryBudget, accountId: string) {
    super();
    this.#memory = memory;
    this.#accountId = accountId;
  }

  /** Applies backpressure only above `MAX_UNREAD_BYTES`. */
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
