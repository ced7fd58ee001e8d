/** As many as a reader takes at once. */
const STEP_BYTES = 256 * 1024;

/**
 * Reports the length of a file to the main thread: at the first bytes, in steps, and at the end. A
 * message for each write takes the main thread a tenth of the time it spends on an export.
 */
export class WrittenBytes {
  readonly #tell: (bytes: number) => void;
  #bytes = 0;
  #told = 0;

  constructor(tell: (bytes: number) => void) {
    this.#tell = tell;
  }

  update(bytes: number): void {
    this.#bytes = bytes;
    if (this.#told === 0 || bytes - this.#told >= STEP_BYTES) this.end();
  }

  end(): void {
    if (this.#told === this.#bytes) return;
    this.#told = this.#bytes;
    this.#tell(this.#bytes);
  }
}
