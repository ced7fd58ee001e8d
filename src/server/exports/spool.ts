import { close, read } from 'node:fs';
import { promisify } from 'node:util';
import type { ExportRange } from '../../ports/exports.ts';

const readFile = promisify(read);

const PIECE_BYTES = 256 * 1024;

/** A file that is read while it is written. It is closed when nothing uses it. */
export class Spool {
  readonly fd: number;
  #bytes = 0;
  #state: 'growing' | 'complete' | Error = 'growing';
  #changed = Promise.withResolvers<void>();
  /** The writer and the readers. */
  #users = 0;
  #isClosed = false;
  readonly #onClose: () => void;

  constructor(fd: number, onClose: () => void) {
    this.fd = fd;
    this.#onClose = onClose;
  }

  get bytes(): number {
    return this.#bytes;
  }

  grow(bytes: number): void {
    this.#bytes = bytes;
    this.#wake();
  }

  complete(): void {
    this.#state = 'complete';
    this.#wake();
  }

  fail(cause: Error): void {
    this.#state = cause;
    this.#wake();
  }

  retain(): void {
    this.#users += 1;
  }

  release(): void {
    this.#users -= 1;
    if (this.#users > 0 || this.#isClosed) return;
    this.#isClosed = true;
    close(this.fd, () => undefined);
    this.#onClose();
  }

  /** The number of bytes once all are written. */
  get completeBytes(): number | undefined {
    return this.#state === 'complete' ? this.#bytes : undefined;
  }

  /** All bytes, or those of the range, as `OpenExport.bytes`. The caller has retained the spool. */
  async *pieces(
    unsentBytes?: () => number,
    { start, end }: ExportRange = { start: 0, end: Number.POSITIVE_INFINITY },
  ): AsyncGenerator<Buffer, void> {
    const memory = new PieceMemory(unsentBytes);
    for (let position = start; position < end; ) {
      // Before the read: a change during it must not be missed.
      const { promise } = this.#changed;
      const available = Math.min(this.#bytes - position, end - position, PIECE_BYTES);
      if (available > 0) {
        const buffer = memory.take(position, available);
        const { bytesRead } = await readFile(this.fd, { buffer, length: available, position });
        if (bytesRead === 0) throw new Error('the file of an export was truncated');
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      } else if (this.#state === 'complete') {
        return;
      } else if (this.#state !== 'growing') {
        throw this.#state;
      } else {
        await promise;
      }
    }
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/**
 * The memory of the pieces of one reader. A few buffers serve a file of any length. Buffers that
 * are allocated for each piece cost more than their memory: V8 runs a full garbage collection for
 * every few megabytes of them, and each one stops the main thread for about ten milliseconds.
 */
class PieceMemory {
  readonly #unsentBytes: (() => number) | undefined;
  /** With the position of the byte after the last piece in it. */
  readonly #buffers: { readonly memory: Buffer; end: number }[] = [];

  constructor(unsentBytes: (() => number) | undefined) {
    this.#unsentBytes = unsentBytes;
  }

  /** For a piece that starts at `position`, where the last one ended. */
  take(position: number, length: number): Buffer {
    if (this.#unsentBytes === undefined) return Buffer.allocUnsafeSlow(length);
    const sent = position - this.#unsentBytes();
    let found = this.#buffers.find(({ end }) => end <= sent);
    if (found === undefined) {
      found = { memory: Buffer.allocUnsafeSlow(PIECE_BYTES), end: 0 };
      this.#buffers.push(found);
    }
    found.end = position + length;
    return found.memory;
  }
}
