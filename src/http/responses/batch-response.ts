import { Readable } from 'node:stream';
import type { LineResult } from '../../operations/reports/create-reports.ts';
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

/**
 * Writes the results as they are produced. Waits for the client only if very much is unread,
 * because many clients send their whole body before they read. Stops if the client disconnects.
 */
export async function writeResults(
  response: BatchResponse,
  first: readonly LineResult[],
  others: AsyncGenerator<readonly LineResult[]>,
  toLine: (result: LineResult) => string,
): Promise<void> {
  const toLines = (results: readonly LineResult[]) => {
    let lines = '';
    for (const result of results) lines += toLine(result);
    return lines;
  };
  try {
    await response.add(toLines(first));
    for await (const results of others) {
      if (response.destroyed) return;
      await response.add(toLines(results));
    }
    response.push(null);
  } catch (cause) {
    // The response has started, so it is aborted: the client sees that it is incomplete.
    response.destroy(cause as Error);
  }
}
