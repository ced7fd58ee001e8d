type Closer = () => unknown;

/** Closes what was opened, in reverse order: nothing is closed while a later part may use it. */
export class ClosingStack {
  readonly #closers: Closer[] = [];

  add(close: Closer): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.toReversed()) await close();
  }
}
