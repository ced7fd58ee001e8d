import type { AttemptOutcome } from '../domain/deliveries/retries.ts';
import { DAY_MS, HOUR_MS } from '../domain/duration.ts';
import type { Log } from '../observability/log.ts';
import { identifySecrets } from '../operations/webhooks/check-secrets.ts';
import { type SendDependencies, sendWebhook } from '../operations/webhooks/send-webhook.ts';
import type { DeliveryLease } from '../ports/deliveries.ts';
import type { LeasedDelivery } from '../ports/webhook-store.ts';
import { FailureLog } from './failure-log.ts';
import { LeasedWork } from './leased-work.ts';

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
  readonly #work: LeasedWork<LeasedDelivery>;
  readonly #failures: FailureLog;
  #deletedAt = 0;

  constructor(deps: DeliveryRunnerDependencies) {
    this.#deps = deps;
    this.#failures = new FailureLog(deps.log, () => deps.now());
    this.#work = new LeasedWork({
      capacity: CAPACITY,
      log: deps.log,
      noun: 'webhook',
      now: () => deps.now(),
      lease: (limit, lease) => this.#lease(limit, lease),
      renew: (leased, lease) => deps.store.webhooks.renew(leased, lease),
      attempt: (leased, signal) => this.#attempt(leased, signal),
    });
    this.wake();
  }

  /** A delivery may be due. */
  wake(): void {
    this.#work.wake();
  }

  /** Resolves when no attempt runs, and the last lease found nothing due. */
  idle(): Promise<void> {
    return this.#work.idle();
  }

  /** Starts no new attempt, and interrupts the running ones after the grace period. */
  stop(graceMs?: number): Promise<void> {
    return this.#work.stop(graceMs);
  }

  async #lease(limit: number, lease: DeliveryLease): Promise<readonly LeasedDelivery[]> {
    await this.#runHousekeeping();
    if (this.#work.isStopping) return [];
    const { store, sealer } = this.#deps;
    const { keyId } = sealer;
    return await store.webhooks.lease({ ...lease, limit, perWebhook: PER_WEBHOOK, keyId });
  }

  async #attempt(leased: LeasedDelivery, signal: AbortSignal): Promise<void> {
    const outcome = await sendWebhook(this.#deps, leased, signal);
    if (outcome !== undefined) this.#observe(leased, outcome);
  }

  #observe(leased: LeasedDelivery, outcome: AttemptOutcome): void {
    const { log, settled } = this.#deps;
    settled(outcome.kind);
    if (outcome.kind === 'delivered' || outcome.kind === 'released') return;
    const { id: delivery, webhookId: webhook, attempts: attempt } = leased;
    const { service } = leased.webhook;
    const { status, error } = outcome;
    const nextAttempt = outcome.kind === 'again' ? outcome.dueAt.toISOString() : null;
    // Never the URL: it may contain a secret of the owner.
    const failure = { webhook, service, delivery, attempt, status, error, nextAttempt };
    this.#failures.failed(webhook, failure, 'the delivery of a webhook failed');
    if (outcome.kind === 'dead' && outcome.disable !== undefined)
      log.warn({ webhook, service, reason: outcome.disable }, 'a webhook was disabled');
  }

  async #runHousekeeping(): Promise<void> {
    const { now: clock, trustedTime = async () => clock() } = this.#deps;
    if (Math.abs(clock().getTime() - this.#deletedAt) < DELETE_INTERVAL_MS) return;
    this.#deletedAt = clock().getTime();
    // An older node of a cluster may have added some since the start.
    await identifySecrets(this.#deps, this.#deps.sealer);
    const now = (await trustedTime())?.getTime();
    if (now === undefined) return;
    const retention = {
      now: new Date(now),
      deliveredBefore: new Date(now - DELIVERED_KEPT_MS),
      deadBefore: new Date(now - DEAD_KEPT_MS),
      keyId: this.#deps.sealer.keyId,
      limit: DELETE_BATCH,
    };
    while (
      !this.#work.isStopping &&
      (await this.#deps.store.webhooks.deleteOldDeliveries(retention)) > 0
    );
  }
}
