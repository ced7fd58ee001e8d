import type { Log } from '../observability/log.ts';
import { ClaimLoop } from './claim-loop.ts';

/** What is claimed by a process that does not renew its leases is claimed by others after this. */
const LEASE_MS = 6000;
const RENEW_INTERVAL_MS = 2000;
/** Attempts that run when the runner stops get this long. Interrupted ones are made again. */
const STOP_GRACE_MS = 5000;

export interface LeaseRequest {
  readonly leaseMs: number;
  readonly now: Date;
}

export interface LeasedClaimsOptions<Claim> {
  /** How many attempts may run at once. */
  readonly capacity: number;
  readonly log: Log;
  /** In the log, for example `webhook`. */
  readonly noun: string;
  now(): Date;
  claim(limit: number, lease: LeaseRequest): Promise<readonly Claim[]>;
  renew(claimed: readonly Claim[], lease: LeaseRequest): Promise<unknown>;
  /** Makes one attempt and stores its outcome. If it rejects, the lease ends. */
  attempt(claimed: Claim, signal: AbortSignal): Promise<void>;
}

/** Makes attempts at what is due, and renews the leases while they run. */
export class LeasedClaims<Claim extends object> {
  readonly #options: LeasedClaimsOptions<Claim>;
  readonly #loop: ClaimLoop<Claim>;
  /** Running attempts, with the time of their claim or its last renewal. */
  readonly #renewedAt = new Map<Claim, number>();
  readonly #renewal: NodeJS.Timeout;
  readonly #interrupting = new AbortController();
  #isStopping = false;

  constructor(options: LeasedClaimsOptions<Claim>) {
    this.#options = options;
    this.#loop = new ClaimLoop({
      capacity: options.capacity,
      claim: (limit) => this.#claim(limit),
      run: (claimed) => this.#run(claimed),
      onClaimError: (err) => options.log.error({ err }, `no ${options.noun} could be claimed`),
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

  /** Resolves when no attempt runs, and the last claim found nothing due. */
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

  async #claim(limit: number): Promise<readonly Claim[]> {
    if (this.#isStopping) return [];
    return await this.#options.claim(limit, { leaseMs: LEASE_MS, now: this.#options.now() });
  }

  /** If the outcome cannot be stored, the lease ends and the attempt is made again. */
  async #run(claimed: Claim): Promise<void> {
    const { log, noun, attempt } = this.#options;
    this.#renewedAt.set(claimed, performance.now());
    try {
      await attempt(claimed, this.#interrupting.signal);
    } catch (err) {
      log.error({ err }, `the delivery of a ${noun} could not be settled`);
    } finally {
      this.#renewedAt.delete(claimed);
    }
  }

  /** An attempt may take longer than a lease. Most attempts end before their first renewal. */
  async #renewLeases(): Promise<void> {
    const now = performance.now();
    const due = [...this.#renewedAt].filter(([, at]) => now - at >= RENEW_INTERVAL_MS);
    if (due.length === 0) return;
    const claimed = due.map(([claim]) => claim);
    // The next tick must not renew them again while this call runs. If it fails, a later one does.
    for (const claim of claimed) this.#renewedAt.set(claim, now);
    try {
      await this.#options.renew(claimed, { leaseMs: LEASE_MS, now: this.#options.now() });
    } catch (err) {
      this.#options.log.error({ err }, 'the leases of deliveries were not renewed');
    }
  }
}
