interface CachedQueryOptions {
  /** For this long a result is returned again without a query. */
  readonly maxAgeMs: number;
  /** A reader waits for at most this long. */
  readonly timeoutMs: number;
  /** A monotonic clock. */
  readonly now?: () => number;
}

/**
 * Runs a query on demand, one at a time and at most once in `maxAgeMs`, for any number of readers.
 * If the query fails or exceeds the timeout, readers get `undefined` and never an outdated result.
 */
export class CachedQuery<Value> {
  readonly #query: () => Promise<Value>;
  readonly #options: CachedQueryOptions;
  readonly #now: () => number;
  #result: Promise<Value | undefined> | undefined;
  #isRunning = false;
  #startedAt = 0;

  constructor(query: () => Promise<Value>, options: CachedQueryOptions) {
    this.#query = query;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  async read(): Promise<Value | undefined> {
    const { timeoutMs } = this.#options;
    const { promise: timeout, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), timeoutMs);
    const result = await Promise.race([this.#current(), timeout]);
    clearTimeout(timer);
    return result;
  }

  #current(): Promise<Value | undefined> {
    const isFresh = this.#now() - this.#startedAt < this.#options.maxAgeMs;
    if (this.#result !== undefined && (isFresh || this.#isRunning)) return this.#result;
    this.#startedAt = this.#now();
    this.#isRunning = true;
    // The failure is not logged here: the requests that need the store report its outage.
    this.#result = this.#query()
      .catch(() => undefined)
      .finally(() => {
        this.#isRunning = false;
      });
    return this.#result;
  }
}
