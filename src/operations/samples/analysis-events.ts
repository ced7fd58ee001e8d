/** Bounds the waiting requests. A further request gets the current state at once. */
const MAX_WATCHES = 1000;

/**
 * Events of samples inside this process: an upload wakes the workers, and the end of an analysis
 * wakes the requests that wait for it. An event is only a hint. The store is authoritative, because
 * another process may run the analysis.
 */
export class AnalysisEvents {
  readonly #uploadListeners = new Set<() => void>();
  readonly #watches = new Map<string, Set<Watch>>();
  #count = 0;
  #isClosed = false;

  /** Calls the listener after every upload. Returns a function that removes it. */
  onSubmitted(listener: () => void): () => void {
    this.#uploadListeners.add(listener);
    return () => void this.#uploadListeners.delete(listener);
  }

  submitted(): void {
    for (const listener of this.#uploadListeners) listener();
  }

  /** The analysis of the sample is done or has failed. */
  finished(sha256: string): void {
    for (const watch of this.#watches.get(sha256) ?? []) watch.notify();
  }

  /** Returns `undefined` if there are too many watches or the server stops. */
  watch(sha256: string): Watch | undefined {
    if (this.#isClosed || this.#count >= MAX_WATCHES) return undefined;
    const watch: Watch = new Watch(() => this.#remove(sha256, watch));
    const others = this.#watches.get(sha256);
    if (others === undefined) this.#watches.set(sha256, new Set([watch]));
    else others.add(watch);
    this.#count += 1;
    return watch;
  }

  /** Ends all watches. */
  close(): void {
    this.#isClosed = true;
    for (const watches of [...this.#watches.values()])
      for (const watch of [...watches]) watch.end();
  }

  #remove(sha256: string, watch: Watch): void {
    const watches = this.#watches.get(sha256);
    if (watches?.delete(watch) !== true) return;
    this.#count -= 1;
    if (watches.size === 0) this.#watches.delete(sha256);
  }
}

/** Waits for events of one sample. The holder must call `end`. */
export class Watch {
  readonly #remove: () => void;
  #isNotified = false;
  #isEnded = false;
  #wake: (() => void) | undefined;

  constructor(remove: () => void) {
    this.#remove = remove;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Resolves at an event, at one that came since the last call, after that time, or at the end. */
  async wait(ms: number): Promise<void> {
    if (!this.#isNotified && !this.#isEnded) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.#wake = resolve;
      await promise;
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#isNotified = false;
  }

  notify(): void {
    this.#isNotified = true;
    this.#wake?.();
  }

  /** May be called more than once. */
  end(): void {
    this.#isEnded = true;
    this.#wake?.();
    this.#remove();
  }
}
