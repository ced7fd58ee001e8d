/** More callers than ever wait at once; beyond that nobody is made to wait. */
const MOST_WATCHES = 1000;

/**
 * What happens to samples, told inside of this process: whoever runs jobs hears of uploads, and whoever waits
 * for a report hears when it is there. Only a hint: the store is what counts, since another process may do the
 * work.
 */
export class AnalysisNews {
  readonly #runners = new Set<() => void>();
  readonly #watches = new Map<string, Set<Watch>>();
  #count = 0;
  #isClosed = false;

  /** Calls the listener after every upload. Returns what ends that. */
  onSubmitted(listener: () => void): () => void {
    this.#runners.add(listener);
    return () => void this.#runners.delete(listener);
  }

  submitted(): void {
    for (const listener of this.#runners) listener();
  }

  /** The sample is done, or has failed. */
  finished(sha256: string): void {
    for (const watch of this.#watches.get(sha256) ?? []) watch.tell();
  }

  /** `undefined` where too many wait already, or the server stops: then nobody should. */
  watch(sha256: string): Watch | undefined {
    if (this.#isClosed || this.#count >= MOST_WATCHES) return undefined;
    const watch: Watch = new Watch(() => this.#forget(sha256, watch));
    const others = this.#watches.get(sha256);
    if (others === undefined) this.#watches.set(sha256, new Set([watch]));
    else others.add(watch);
    this.#count += 1;
    return watch;
  }

  /** Lets everybody go who waits. */
  close(): void {
    this.#isClosed = true;
    for (const watches of [...this.#watches.values()])
      for (const watch of [...watches]) watch.end();
  }

  #forget(sha256: string, watch: Watch): void {
    const watches = this.#watches.get(sha256);
    if (watches?.delete(watch) !== true) return;
    this.#count -= 1;
    if (watches.size === 0) this.#watches.delete(sha256);
  }
}

/** One who waits for news of one sample. It must be ended. */
export class Watch {
  readonly #forget: () => void;
  #isTold = false;
  #isEnded = false;
  #wake: (() => void) | undefined;

  constructor(forget: () => void) {
    this.#forget = forget;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Until there is news, or there was since the last time, or that long, or until it is ended. */
  async wait(ms: number): Promise<void> {
    if (!this.#isTold && !this.#isEnded) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.#wake = resolve;
      await promise;
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#isTold = false;
  }

  tell(): void {
    this.#isTold = true;
    this.#wake?.();
  }

  /** May be called again. */
  end(): void {
    this.#isEnded = true;
    this.#wake?.();
    this.#forget();
  }
}
