import { MINUTE_MS } from '../domain/duration.ts';

/** `WorkWatch` wakes the loop when work is due. This is for what it does not see. */
const POLL_INTERVAL_MS = MINUTE_MS;

export interface LeaseLoopOptions<Work> {
  /** How many leases may run at once. */
  readonly capacity: number;
  lease(limit: number): Promise<readonly Work[]>;
  /** Runs one piece of work to its end. It must not reject. */
  run(leased: Work): Promise<void>;
  /** While it returns true, nothing is leased. */
  isPaused?(): boolean;
  onLeaseError(err: unknown): void;
}

/** Leases work and runs it, at most `capacity` leases at once. */
export class LeaseLoop<Work> {
  readonly #options: LeaseLoopOptions<Work>;
  readonly #running = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #leasing: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = false;

  constructor(options: LeaseLoopOptions<Work>) {
    this.#options = options;
    this.#timer = setInterval(() => this.wake(), POLL_INTERVAL_MS);
    this.#timer.unref();
  }

  /** Leases as soon as there is capacity: new work may be due. */
  wake(): void {
    if (this.#isStopped) return;
    this.#isWoken = true;
    this.#leasing ??= this.#leaseAll().finally(() => {
      this.#leasing = undefined;
      // `wake` may have been called between the end of `#leaseAll` and this callback.
      if (this.#isWoken && this.#mayLease) this.wake();
    });
  }

  /** Resolves when nothing runs, and the last lease found nothing due. */
  async idle(): Promise<void> {
    while (this.#leasing !== undefined || this.#running.size > 0)
      await Promise.all([this.#leasing, ...this.#running]);
  }

  /** Leases nothing more. Leases that run are not interrupted. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#leasing;
  }

  get #mayLease(): boolean {
    const { capacity, isPaused } = this.#options;
    return !this.#isStopped && this.#running.size < capacity && isPaused?.() !== true;
  }

  async #leaseAll(): Promise<void> {
    const { capacity, lease, onLeaseError } = this.#options;
    try {
      while (this.#isWoken && this.#mayLease) {
        this.#isWoken = false;
        for (const leased of await lease(capacity - this.#running.size)) this.#start(leased);
      }
    } catch (err) {
      // The next look retries. To retry at once would only add to the load of a failing store.
      this.#isWoken = false;
      onLeaseError(err);
    }
  }

  #start(leased: Work): void {
    const run = this.#options.run(leased).finally(() => {
      this.#running.delete(run);
      this.wake();
    });
    this.#running.add(run);
  }
}
