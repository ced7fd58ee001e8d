import type { Log } from '../observability/log.ts';
import type { DeliveryLease } from '../ports/deliveries.ts';
import { LeaseLoop } from './lease-loop.ts';

/** Other processes take over a lease that was not renewed for this long. */
const LEASE_MS = 6000;
const RENEW_INTERVAL_MS = 2000;
/** Attempts that run when the runner stops get this long. Interrupted ones are made again. */
const STOP_GRACE_MS = 5000;

export interface LeasedWorkOptions<Work> {
  /** How many attempts may run at once. */
  readonly capacity: number;
  readonly log: Log;
  /** In the log, for example `webhook`. */
  readonly noun: string;
  now(): Date;
  lease(limit: number, lease: DeliveryLease): Promise<readonly Work[]>;
  renew(leased: readonly Work[], lease: DeliveryLease): Promise<unknown>;
  /** Makes one attempt and stores its outcome. If it rejects, the lease ends. */
  attempt(leased: Work, signal: AbortSignal): Promise<void>;
}

/** Makes attempts at what is due, and renews the leases while they run. */
export class LeasedWork<Work extends object> {
  readonly #options: LeasedWorkOptions<Work>;
  readonly #loop: LeaseLoop<Work>;
  /** Running attempts, with the time of their lease or its last renewal. */
  readonly #renewedAt = new Map<Work, number>();
  readonly #renewal: NodeJS.Timeout;
  readonly #interrupting = new AbortController();
  #isStopping = false;

  constructor(options: LeasedWorkOptions<Work>) {
    this.#options = options;
    this.#loop = new LeaseLoop({
      capacity: options.capacity,
      lease: (limit) => this.#lease(limit),
      run: (leased) => this.#run(leased),
      onLeaseError: (err) => options.log.error({ err }, `no ${options.noun} could be leased`),
    });
    this.#renewal = setInterval(() => void this.#renewLeases(), RENEW_INTERVAL_MS / 2);
    this.#renewal.unref();
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Something may be due. */
  wake(): void {
    this.#loop.wake();
  }

  /** Resolves when no attempt runs, and the last lease found nothing due. */
  idle(): Promise<void> {
    return this.#loop.idle();
  }

  /** Starts no new attempt, and interrupts the running ones after the grace period. */
  async stop(graceMs = STOP_GRACE_MS): Promise<void> {
    this.#isStopping = true;
    const timer = setTimeout(() => this.#interrupting.abort(), graceMs);
    await this.#loop.stop();
    await this.#loop.idle();
    clearTimeout(timer);
    clearInterval(this.#renewal);
  }

  async #lease(limit: number): Promise<readonly Work[]> {
    if (this.#isStopping) return [];
    return await this.#options.lease(limit, { leaseMs: LEASE_MS, now: this.#options.now() });
  }

  /** If the outcome cannot be stored, the lease ends and the attempt is made again. */
  async #run(leased: Work): Promise<void> {
    const { log, noun, attempt } = this.#options;
    this.#renewedAt.set(leased, performance.now());
    try {
      await attempt(leased, this.#interrupting.signal);
    } catch (err) {
      log.error({ err }, `the delivery of a ${noun} could not be settled`);
    } finally {
      this.#renewedAt.delete(leased);
    }
  }

  /** An attempt may take longer than a lease. Most attempts end before their first renewal. */
  async #renewLeases(): Promise<void> {
    const now = performance.now();
    const due = [...this.#renewedAt].filter(([, at]) => now - at >= RENEW_INTERVAL_MS);
    if (due.length === 0) return;
    const leased = due.map(([work]) => work);
    // The next tick must not renew them again while this call runs. If it fails, a later one does.
    for (const work of leased) this.#renewedAt.set(work, now);
    try {
      await this.#options.renew(leased, { leaseMs: LEASE_MS, now: this.#options.now() });
    } catch (err) {
      this.#options.log.error({ err }, 'the leases of deliveries were not renewed');
    }
  }
}
