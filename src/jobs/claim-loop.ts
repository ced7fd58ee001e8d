import { MINUTE_MS } from '../domain/duration.ts';

/** `WorkWatch` wakes the loop when work is due. This is for what it does not see. */
const POLL_INTERVAL_MS = MINUTE_MS;

export interface ClaimLoopOptions<Claim> {
  /** How many claims may run at once. */
  readonly capacity: number;
  claim(limit: number): Promise<readonly Claim[]>;
  /** Runs one claim to its end. It must not reject. */
  run(claim: Claim): Promise<void>;
  /** While it returns true, nothing is claimed. */
  isPaused?(): boolean;
  onClaimError(err: unknown): void;
}

/** Claims work and runs it, at most `capacity` claims at once. */
export class ClaimLoop<Claim> {
  readonly #options: ClaimLoopOptions<Claim>;
  readonly #running = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #claiming: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = false;

  constructor(options: ClaimLoopOptions<Claim>) {
    this.#options = options;
    this.#timer = setInterval(() => this.wake(), POLL_INTERVAL_MS);
    this.#timer.unref();
  }

  /** Claims as soon as there is capacity: new work may be due. */
  wake(): void {
    if (this.#isStopped) return;
    this.#isWoken = true;
    this.#claiming ??= this.#claimAll().finally(() => {
      this.#claiming = undefined;
      // `wake` may have been called between the end of `#claimAll` and this callback.
      if (this.#isWoken && this.#mayClaim) this.wake();
    });
  }

  /** Resolves when nothing runs, and the last claim found nothing due. */
  async idle(): Promise<void> {
    while (this.#claiming !== undefined || this.#running.size > 0)
      await Promise.all([this.#claiming, ...this.#running]);
  }

  /** Claims nothing more. Claims that run are not interrupted. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#claiming;
  }

  get #mayClaim(): boolean {
    const { capacity, isPaused } = this.#options;
    return !this.#isStopped && this.#running.size < capacity && isPaused?.() !== true;
  }

  async #claimAll(): Promise<void> {
    const { capacity, claim, onClaimError } = this.#options;
    try {
      while (this.#isWoken && this.#mayClaim) {
        this.#isWoken = false;
        for (const claimed of await claim(capacity - this.#running.size)) this.#start(claimed);
      }
    } catch (err) {
      // The next look retries. To retry at once would only add to the load of a failing store.
      this.#isWoken = false;
      onClaimError(err);
    }
  }

  #start(claimed: Claim): void {
    const run = this.#options.run(claimed).finally(() => {
      this.#running.delete(run);
      this.wake();
    });
    this.#running.add(run);
  }
}
