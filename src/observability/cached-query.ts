interface RecentOptions {
  /** For so long an answer is given again without asking. */
  readonly freshMs: number;
  /** So long whoever wants to know waits. */
  readonly patienceMs: number;
  /** Of a clock that nobody sets. */
  readonly now?: () => number;
}

/**
 * What somebody else knows, asked for when it is wanted: one question at a time and not more than one every so often, by
 * however many. An answer that is not to be had, or not soon, is none, and never one from before.
 */
export class Recent<Value> {
  readonly #ask: () => Promise<Value>;
  readonly #options: RecentOptions;
  readonly #now: () => number;
  #answer: Promise<Value | undefined> | undefined;
  #isUnderWay = false;
  #askedAt = 0;

  constructor(ask: () => Promise<Value>, options: RecentOptions) {
    this.#ask = ask;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  async read(): Promise<Value | undefined> {
    const { patienceMs } = this.#options;
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), patienceMs);
    const answer = await Promise.race([this.#current(), late]);
    clearTimeout(timer);
    return answer;
  }

  #current(): Promise<Value | undefined> {
    const isFresh = this.#now() - this.#askedAt < this.#options.freshMs;
    if (this.#answer !== undefined && (isFresh || this.#isUnderWay)) return this.#answer;
    this.#askedAt = this.#now();
    this.#isUnderWay = true;
    // That it fails is heard of elsewhere: whoever needs the store for more than a number says so.
    this.#answer = this.#ask()
      .catch(() => undefined)
      .finally(() => {
        this.#isUnderWay = false;
      });
    return this.#answer;
  }
}
