import { DAY_MS, HOUR_MS } from '../domain/duration.ts';
import type { AttemptOutcome } from '../domain/webhooks/webhook-retries.ts';
import type { Log } from '../observability/log.ts';
import { type SendDependencies, sendWebhook } from '../operations/webhooks/send-webhook.ts';
import type { ClaimedDelivery } from '../ports/webhook-store.ts';
import { ClaimLoop } from './claim-loop.ts';

export interface DeliveryRunnerDependencies extends SendDependencies {
  readonly log: Log;
  /** The time by which old deliveries may be deleted. `undefined` while the clock is wrong. */
  trustedTime?(): Promise<Date | undefined>;
  /** Called with the outcome of each attempt, for the metrics. */
  settled(outcome: AttemptOutcome['kind']): void;
}

const CAPACITY = 32;
const PER_WEBHOOK = 2;
/** The deliveries of a process that does not renew its leases are claimed by others after this. */
const LEASE_MS = 6000;
const RENEW_INTERVAL_MS = 2000;
/** Attempts that run when the runner stops get this long. Interrupted ones are made again. */
const STOP_GRACE_MS = 5000;
const DELETE_INTERVAL_MS = HOUR_MS;
/** Rows of each state per transaction, which takes some 5 ms on SQLite. */
const DELETE_BATCH = 250;
const DELIVERED_KEPT_MS = 3 * DAY_MS;
const DEAD_KEPT_MS = 30 * DAY_MS;

/** Sends due webhooks: many at once, few of them to any one endpoint. */
export class DeliveryRunner {
  readonly #deps: DeliveryRunnerDependencies;
  readonly #loop: ClaimLoop<ClaimedDelivery>;
  /** Running attempts, with the time of their claim or its last renewal. */
  readonly #renewedAt = new Map<ClaimedDelivery, number>();
  readonly #renewal: NodeJS.Timeout;
  readonly #interrupting = new AbortController();
  #isStopping = false;
  #deletedAt = 0;

  constructor(deps: DeliveryRunnerDependencies) {
    this.#deps = deps;
    this.#loop = new ClaimLoop({
      capacity: CAPACITY,
      claim: (limit) => this.#claim(limit),
      run: (claimed) => this.#run(claimed),
      onClaimError: (err) => deps.log.error({ err }, 'no webhook could be claimed'),
    });
    this.#renewal = setInterval(() => void this.#renewLeases(), RENEW_INTERVAL_MS / 2);
    this.#renewal.unref();
    this.wake();
  }

  /** A delivery may be due. */
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

  async #claim(limit: number): Promise<readonly ClaimedDelivery[]> {
    await this.#deleteOld();
    if (this.#isStopping) return [];
    const { store, now } = this.#deps;
    return await store.webhooks.claim({
      limit,
      perWebhook: PER_WEBHOOK,
      leaseMs: LEASE_MS,
      now: now(),
    });
  }

  /** If the outcome cannot be stored, the lease ends and the delivery is sent again. */
  async #run(claimed: ClaimedDelivery): Promise<void> {
    this.#renewedAt.set(claimed, performance.now());
    try {
      const outcome = await sendWebhook(this.#deps, claimed, this.#interrupting.signal);
      if (outcome !== undefined) this.#observe(claimed, outcome);
    } catch (err) {
      this.#deps.log.error({ err, delivery: claimed.id }, 'a delivery could not be settled');
    } finally {
      this.#renewedAt.delete(claimed);
    }
  }

  #observe(claimed: ClaimedDelivery, outcome: AttemptOutcome): void {
    const { log, settled } = this.#deps;
    settled(outcome.kind);
    if (outcome.kind === 'delivered' || outcome.kind === 'released') return;
    const { id: delivery, webhookId: webhook, attempts } = claimed;
    log.info({ delivery, webhook, attempts, error: outcome.error }, 'a delivery failed');
    if (outcome.kind === 'dead' && outcome.disable !== undefined)
      log.warn({ webhook, reason: outcome.disable }, 'a webhook was disabled');
  }

  /** An attempt may take longer than a lease. Most attempts end before their first renewal. */
  async #renewLeases(): Promise<void> {
    const now = performance.now();
    const due = [...this.#renewedAt].filter(([, at]) => now - at >= RENEW_INTERVAL_MS);
    if (due.length === 0) return;
    const claimed = due.map(([delivery]) => delivery);
    // The next tick must not renew them again while this call runs. If it fails, a later one does.
    for (const delivery of claimed) this.#renewedAt.set(delivery, now);
    try {
      await this.#deps.store.webhooks.renew(claimed, { leaseMs: LEASE_MS, now: this.#deps.now() });
    } catch (err) {
      this.#deps.log.error({ err }, 'the leases of deliveries were not renewed');
    }
  }

  async #deleteOld(): Promise<void> {
    const { now: clock, trustedTime = async () => clock() } = this.#deps;
    if (Math.abs(clock().getTime() - this.#deletedAt) < DELETE_INTERVAL_MS) return;
    this.#deletedAt = clock().getTime();
    const now = (await trustedTime())?.getTime();
    if (now === undefined) return;
    const retention = {
      now: new Date(now),
      deliveredBefore: new Date(now - DELIVERED_KEPT_MS),
      deadBefore: new Date(now - DEAD_KEPT_MS),
      limit: DELETE_BATCH,
    };
    while (
      !this.#isStopping &&
      (await this.#deps.store.webhooks.deleteOldDeliveries(retention)) > 0
    );
  }
}
