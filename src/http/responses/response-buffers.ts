import type { FastifyReply } from 'fastify';

/** A page of 100 usual reports has 60 to 75 KB. */
const SIZE = 96 * 1024;
/** Shorter pages would use less than a third of a buffer while their clients read them. */
const MIN_LENGTH = 32 * 1024;
/** Kept for later responses: 6 MB. */
const MAX_FREE = 64;
/** Left free before and after the items, for the other members of the response. */
const BEFORE = 64;
const AFTER = 4096;

/** The items of a list, joined with commas. */
export class EncodedItems {
  readonly #bytes: Buffer;
  readonly #length: number;
  readonly #release: (() => void) | undefined;

  constructor(items: readonly string[], bytes: Buffer, release: (() => void) | undefined) {
    this.#bytes = bytes;
    this.#release = release;
    let end = BEFORE;
    for (const [index, item] of items.entries()) {
      if (index > 0) end += bytes.write(',', end);
      end += bytes.write(item, end);
    }
    this.#length = end - BEFORE;
  }

  /** The whole response. Its bytes are valid until it was sent. */
  complete(reply: FastifyReply, beginning: string, end: string): Buffer {
    const start = BEFORE - Buffer.byteLength(beginning);
    const endsAt = BEFORE + this.#length;
    const isShort = start >= 0 && endsAt + Buffer.byteLength(end) <= this.#bytes.length;
    if (!isShort) {
      const items = this.#bytes.subarray(BEFORE, endsAt);
      return Buffer.concat([Buffer.from(beginning), items, Buffer.from(end)]);
    }
    this.#bytes.write(beginning, start);
    const length = endsAt + this.#bytes.write(end, endsAt);
    // Emitted once all bytes are with the operating system. A response that is cut off does not
    // emit it, and the garbage collector frees its buffer.
    if (this.#release !== undefined) reply.raw.once('finish', this.#release);
    return this.#bytes.subarray(start, length);
  }
}

/**
 * Buffers that are used again after their response was sent. New ones would be memory outside of
 * the heap, which grows by megabytes until the garbage collector runs.
 */
export class ResponseBuffers {
  readonly #free: Buffer[] = [];

  /** The number of buffers that wait for a response. */
  get free(): number {
    return this.#free.length;
  }

  encode(items: readonly string[]): EncodedItems {
    const length = items.reduce((sum, item) => sum + Buffer.byteLength(item) + 1, 0);
    const total = BEFORE + length + AFTER;
    if (length < MIN_LENGTH || total > SIZE)
      return new EncodedItems(items, Buffer.allocUnsafe(total), undefined);
    const buffer = this.#free.pop() ?? Buffer.allocUnsafeSlow(SIZE);
    return new EncodedItems(items, buffer, () => {
      if (this.#free.length < MAX_FREE) this.#free.push(buffer);
    });
  }
}
