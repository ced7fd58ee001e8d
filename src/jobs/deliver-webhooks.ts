import { DAY_MS, HOUR_MS } from '../domain/duration.ts';
import type { AttemptOutcome } from '../domain/webhooks/webhook-retries.ts';
import type { Log } from '../observability/log.ts';
import { type SendDependencies, sendWebhook } from '../operations/webhooks/send-webhook.ts';
import type { ClaimedDelivery } from '../ports/webhook-store.ts';
import { LeasedClaims, type LeaseRequest } from './leased-claims.ts';

export interface DeliveryRunnerDependencies extends SendDependencies {
  readonly log: Log;
  /** The time by which old deliveries may be deleted. `undefined` while the clock is wrong. */
  trustedTime?(): Promise<Date | undefined>;
  /** Called with the outcome of each attempt, for the metrics. */
  settled(outcome: AttemptOutcome['kind']): void;
}

const CAPACITY = 32;
const PER_WEBHOOK = 2;
const DELETE_INTERVAL_MS = HOUR_MS;
/** Rows of each state per transaction, which takes some 5 ms on SQLite. */
const DELETE_BATCH = 250;
const DELIVERED_KEPT_MS = 3 * DAY_MS;
const DEAD_KEPT_MS = 30 * DAY_MS;

/** Sends due webhooks: many at once, few of them to any one endpoint. */
export class DeliveryRunner {
  readonly #deps: DeliveryRunnerDependencies;
  readonly #claims: LeasedClaims<ClaimedDelivery>;
  #deletedAt = 0;

  constructor(deps: DeliveryRunnerDependencies) {
    this.#deps = deps;
    this.#claims = new LeasedClaims({
      capacity: CAPACITY,
      log: deps.log,
      noun: 'webhook',
      now: () => deps.now(),
      claim: (limit, lease) => this.#claim(limit, lease),
      renew: (claimed, lease) => deps.store.webhooks.renew(claimed, lease),
      attempt: (claimed, signal) => this.#attempt(claimed, signal),
    });
    this.wake();
  }

  /** A delivery may be due. */
  wake(): void {
    this.#claims.wake();
  }

  /** Resolves when no attempt runs, and the last claim found nothing due. */
  idle(): Promise<void> {
    return this.#claims.idle();
  }

  /** Starts no new attempt, and interrupts the running ones after the grace period. */
  stop(graceMs?: number): Promise<void> {
    return this.#claims.stop(graceMs);
  }

  async #claim(limit: number, lease: LeaseRequest): Promise<readonly ClaimedDelivery[]> {
    await this.#deleteOld();
    if (this.#claims.isStopping) return [];
    const { webhooks } = this.#deps.store;
    return await webhooks.claim({ ...lease, limit, perWebhook: PER_WEBHOOK });
  }

  async #attempt(claimed: ClaimedDelivery, signal: AbortSignal): Promise<void> {
    const outcome = await sendWebhook(this.#deps, claimed, signal);
    if (outcome !== undefined) this.#observe(claimed, outcome);
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
      !this.#claims.isStopping &&
      (await this.#deps.store.webhooks.deleteOldDeliveries(retention)) > 0
    );
  }
}
