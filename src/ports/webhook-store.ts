import type { Change } from '../domain/reports/change.ts';
import type { EventType, WebhookEvent, WebhookFormat } from '../domain/webhooks/webhook.ts';
import type { WebhookOwner } from '../domain/webhooks/webhook-owner.ts';
import type { AttemptOutcome } from '../domain/webhooks/webhook-retries.ts';
import type { AuditContext } from './audit-context.ts';

export interface Webhook {
  readonly id: string;
  readonly service: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly format: WebhookFormat;
  readonly createdBy: string;
  readonly createdAt: Date;
  /** Deliveries are sent while this account is live and owns the feed. */
  readonly owner: WebhookOwner | undefined;
  readonly disabledAt: Date | undefined;
  readonly disabledReason: string | undefined;
  /** Since when every delivery fails; `undefined` after one that succeeds. */
  readonly failingSince: Date | undefined;
}

export interface Delivery {
  /** Also the `webhook-id`: the same over all attempts. */
  readonly id: string;
  readonly webhookId: string;
  readonly event: EventType;
  /** 0 for a test. */
  readonly sequence: number;
  /** `undefined` for a test. */
  readonly reportId: string | undefined;
  readonly state: 'waiting' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly dueAt: Date;
  readonly lastStatus: number | undefined;
  readonly lastError: string | undefined;
  readonly createdAt: Date;
  readonly finishedAt: Date | undefined;
}

/** A webhook of a feed. */
export interface WebhookPlace {
  readonly service: string;
  readonly id: string;
}

export interface WebhookPage {
  readonly limit: number;
  /** Only those with a higher id. */
  readonly after: string | undefined;
  readonly service: string | undefined;
  /** Of the owner. */
  readonly accountId: string | undefined;
}

export interface WebhookChanges {
  readonly disabled?: boolean | undefined;
  /** The id or the name of an account that owns the feed. */
  readonly owner?: string | undefined;
}

export type WebhookAdministration = Webhook | 'absent' | 'unknown-account' | 'not-owner';

export interface DeliveryPage {
  readonly limit: number;
  /** Only those that came before this one. */
  readonly before: string | undefined;
  readonly state: Delivery['state'] | undefined;
}

export interface WebhookStore {
  add(
    webhook: Webhook,
    secret: Uint8Array,
    audit: AuditContext,
  ): Promise<'added' | 'too-many' | 'unknown-service'>;
  list(service: string): Promise<readonly Webhook[]>;
  /** Of all feeds, by id. */
  listAll(page: WebhookPage): Promise<readonly Webhook[]>;
  /** Disables it, enables it or hands it over, whoever owns it. */
  administer(
    id: string,
    changes: WebhookChanges,
    audit: AuditContext,
  ): Promise<WebhookAdministration>;
  find(place: WebhookPlace): Promise<Webhook | undefined>;
  /** Whatever waits for it is gone with it. */
  remove(place: WebhookPlace, audit: AuditContext): Promise<'removed' | 'absent'>;
  /** The new secret signs beside the old ones, which stay valid until then at most. */
  rotate(
    place: WebhookPlace,
    secret: Uint8Array,
    oldUntil: Date,
    audit: AuditContext,
  ): Promise<Webhook | 'absent'>;
  /**
   * It is told of changes again, from now on; what still waited for it is sent. `forbidden` where an administrator
   * disabled it.
   */
  enable(place: WebhookPlace, audit: AuditContext): Promise<Webhook | 'absent' | 'forbidden'>;
  /** Puts a delivery of its own into the queue, to try the endpoint. */
  test(place: WebhookPlace, deliveryId: string, at: Date): Promise<Queued>;
  /** Newest first. */
  deliveries(place: WebhookPlace, page: DeliveryPage): Promise<readonly Delivery[] | 'absent'>;
  /** Sends it again, with the same id and all attempts before it. */
  replay(place: WebhookPlace, deliveryId: string, at: Date): Promise<Queued | 'absent-delivery'>;
  /**
   * Deliveries that are due, leased until then; of one endpoint at most `perWebhook` at a time, so that a slow one
   * holds up no other. Deliveries are made in the transaction of the change that they tell of.
   */
  claim(request: DeliveryClaimRequest): Promise<readonly ClaimedDelivery[]>;
  /**
   * Leases these for as long again, from now. Those whose lease was lost meanwhile are left alone. Returns the number of
   * those that are held.
   */
  renew(claimed: readonly ClaimedDelivery[], lease: DeliveryLease): Promise<number>;
  /** What became of an attempt. `false` where the lease was lost: then nothing is changed. */
  settle(claimed: ClaimedDelivery, outcome: AttemptOutcome): Promise<boolean>;
  /** Forgets deliveries that are over, and what is left of removed webhooks. Returns how many; 0: nothing is left. */
  forgetDeliveries(over: DeliveriesOver): Promise<number>;
}

/** How long a claim holds. On PostgreSQL it begins and ends by the clock of the database, which all nodes share. */
export interface DeliveryLease {
  readonly leaseMs: number;
  readonly now: Date;
}

export interface DeliveryClaimRequest extends DeliveryLease {
  readonly limit: number;
  readonly perWebhook: number;
}

export interface ClaimedDelivery extends Delivery {
  /** Of this claim: another claim of the same delivery has another. */
  readonly lease: number;
  readonly webhook: Webhook;
  /** Sealed; those that are valid now, the newest first. */
  readonly secrets: readonly Uint8Array[];
  /** The change it tells of; its report as it stands now. `undefined` for a test. */
  readonly change: Change | undefined;
}

export interface DeliveriesOver {
  readonly now: Date;
  readonly deliveredBefore: Date;
  /** Dead letters, what waits for a webhook that was disabled before that, and what waits so long for a suspended one. */
  readonly deadBefore: Date;
  readonly limit: number;
}

export type Queued = 'queued' | 'absent' | 'disabled' | 'suspended';
