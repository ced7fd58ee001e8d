import { close, read } from 'node:fs';
import { promisify } from 'node:util';

const readFile = promisify(read);

const PIECE_BYTES = 256 * 1024;

/** A file that is read while it is written. It is closed when nobody uses it. */
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

  /** All bytes from the start. The caller has retained the spool. */
  async *pieces(isSent = () => false): AsyncGenerator<Buffer, void> {
    let memory = Buffer.alloc(0);
    for (let position = 0; ; ) {
      // Before the read: a change during it must not be missed.
      const { promise } = this.#changed;
      const available = Math.min(this.#bytes - position, PIECE_BYTES);
      if (available > 0) {
        if (memory.length < available || !isSent()) memory = Buffer.allocUnsafe(PIECE_BYTES);
        const { bytesRead } = await readFile(this.fd, {
          buffer: memory,
          length: available,
          position,
        });
        if (bytesRead === 0) throw new Error('the file of an export was truncated');
        position += bytesRead;
        yield memory.subarray(0, bytesRead);
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
