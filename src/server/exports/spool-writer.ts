import { createHash, type Hash } from 'node:crypto';
import { writeSync } from 'node:fs';

/** Encoding and writing larger pieces saves nothing, and they are larger garbage. */
const PIECE_LENGTH = 64 * 1024;
const encoder = new TextEncoder();
/** For all files of the thread: buffers of their own would be garbage of as many bytes. */
const encoded = new Uint8Array(PIECE_LENGTH);

interface SpoolWriterOptions {
  /** Called with the number of all bytes written. */
  readonly onWrite?: (bytes: number) => void;
  readonly hasDigest?: boolean | undefined;
}

/** Appends to a file and digests what it appends. Writes are synchronous: a thread calls it. */
export class SpoolWriter {
  readonly #fd: number;
  readonly #onWrite: SpoolWriterOptions['onWrite'];
  readonly #hash: Hash | undefined;
  #pending = '';
  #bytes = 0;

  constructor(fd: number, { onWrite, hasDigest = true }: SpoolWriterOptions = {}) {
    this.#fd = fd;
    this.#onWrite = onWrite;
    this.#hash = hasDigest ? createHash('sha256') : undefined;
  }

  get bytes(): number {
    return this.#bytes;
  }

  append(text: string): void {
    this.#pending += text;
    if (this.#pending.length >= PIECE_LENGTH) this.flush();
  }

  flush(): void {
    while (this.#pending !== '') {
      const { read, written } = encoder.encodeInto(this.#pending, encoded);
      this.#pending = this.#pending.slice(read);
      this.write(encoded.subarray(0, written));
    }
  }

  /** Only after a flush. */
  write(piece: Uint8Array): void {
    this.#hash?.update(piece);
    for (let start = 0; start < piece.length; )
      start += writeSync(this.#fd, piece, start, piece.length - start, this.#bytes + start);
    this.#bytes += piece.length;
    this.#onWrite?.(this.#bytes);
  }

  /** The SHA-256 of all that was appended so far and of `rest`, in hexadecimal. */
  digest(rest = ''): string {
    this.flush();
    if (this.#hash === undefined) throw new Error('no digest was asked for');
    return this.#hash.copy().update(rest).digest('hex');
  }
}
