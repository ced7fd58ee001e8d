import type { AttemptOutcome } from '../domain/deliveries/retries.ts';
import type { Change } from '../domain/reports/change.ts';
import type { WebhookChanges } from '../domain/webhooks/administration.ts';
import type { WebhookEvent, WebhookFormat } from '../domain/webhooks/webhook.ts';
import type { WebhookOwner } from '../domain/webhooks/webhook-owner.ts';
import type { AuditContext } from './audit-context.ts';
import type { Delivery, DeliveryLease, DeliveryPage, DeliveryRetention } from './deliveries.ts';
import type { SealedSecret } from './outgoing.ts';

export interface Webhook {
  readonly id: string;
  readonly service: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly format: WebhookFormat;
  readonly createdBy: string;
  readonly createdAt: Date;
  /** Deliveries are sent only while this account is active and owns the feed. */
  readonly owner: WebhookOwner | undefined;
  readonly disabledAt: Date | undefined;
  readonly disabledReason: string | undefined;
  /** The first of the failed attempts since the last successful delivery. */
  readonly failingSince: Date | undefined;
}

export interface WebhookKey {
  readonly service: string;
  readonly id: string;
}

export interface WebhookPage {
  readonly limit: number;
  /** Only webhooks with a higher id. */
  readonly after: string | undefined;
  readonly service: string | undefined;
  /** The account of the owner. */
  readonly accountId: string | undefined;
}

export type WebhookAdministration = Webhook | 'absent' | 'unknown-account' | 'not-owner';

export interface WebhookStore {
  add(
    webhook: Webhook,
    secret: SealedSecret,
    audit: AuditContext,
  ): Promise<'added' | 'too-many' | 'unknown-service'>;
  list(service: string): Promise<readonly Webhook[]>;
  /** The webhooks of all feeds, by id. */
  listAll(page: WebhookPage): Promise<readonly Webhook[]>;
  /** Disables, enables or transfers a webhook of any owner. */
  administer(
    id: string,
    changes: WebhookChanges,
    audit: AuditContext,
  ): Promise<WebhookAdministration>;
  find(key: WebhookKey): Promise<Webhook | undefined>;
  /** Also deletes its pending deliveries. */
  remove(key: WebhookKey, audit: AuditContext): Promise<'removed' | 'absent'>;
  /**
   * Deliveries are signed with the new secret and the old ones, which are valid until `oldUntil`.
   */
  rotate(
    key: WebhookKey,
    secret: SealedSecret,
    oldUntil: Date,
    audit: AuditContext,
  ): Promise<Webhook | 'absent'>;
  /**
   * Queues deliveries for changes from now on; pending deliveries are sent. `forbidden` if an
   * administrator disabled it.
   */
  enable(key: WebhookKey, audit: AuditContext): Promise<Webhook | 'absent' | 'forbidden'>;
  /** Queues a test delivery. */
  test(key: WebhookKey, deliveryId: string, at: Date): Promise<QueueOutcome>;
  /** Newest first. */
  deliveries(key: WebhookKey, page: DeliveryPage): Promise<readonly Delivery[] | 'absent'>;
  /** Queues a delivery again, with the same id and a new series of attempts. */
  replay(key: WebhookKey, deliveryId: string, at: Date): Promise<QueueOutcome | 'absent-delivery'>;
  /**
   * Leases deliveries that are due, for `leaseMs`; of one webhook at most `perWebhook` at a time,
   * so that a slow one does not delay the others. Deliveries of webhooks whose secret another key
   * encrypted wait. Deliveries are created in the transaction of the change.
   */
  lease(request: DeliveryLeaseRequest): Promise<readonly LeasedDelivery[]>;
  /**
   * Extends the leases to `leaseMs` from now, except those that were lost. Returns the number of
   * leases still held.
   */
  renew(leased: readonly LeasedDelivery[], lease: DeliveryLease): Promise<number>;
  /** Records the outcome of an attempt. `false` if the lease was lost: then nothing is changed. */
  settle(leased: LeasedDelivery, outcome: AttemptOutcome): Promise<boolean>;
  /** Webhooks whose newest secret another key encrypted, at most `limit`. */
  ofOtherKeys(keyId: string, limit: number): Promise<readonly WebhookKey[]>;
  /** Secrets whose key is not determined yet, by the id of the webhook. */
  unidentifiedSecrets(
    after: string | undefined,
    limit: number,
  ): Promise<readonly UnidentifiedSecret[]>;
  /** Records that this key encrypted these secrets. */
  identifySecrets(secrets: readonly UnidentifiedSecret[], keyId: string): Promise<void>;
  /** Records the key of this process. Returns the one that was recorded before. */
  recordKey(keyId: string): Promise<string | undefined>;
  /** Deletes old deliveries and removed webhooks. Returns the number deleted; 0: none is left. */
  deleteOldDeliveries(retention: DeliveryRetention): Promise<number>;
  /**
   * Calls the listener after commits of changes that queued deliveries, on PostgreSQL including
   * those of other nodes; a call for another node may get lost. Returns the unsubscribe function.
   */
  onQueued(listener: () => void): () => void;
}

export interface DeliveryLeaseRequest extends DeliveryLease {
  /** The key of this process. */
  readonly keyId: string;
  readonly limit: number;
  readonly perWebhook: number;
}

export interface LeasedDelivery extends Delivery {
  /** The number of this lease. A later lease of the same delivery has a higher one. */
  readonly lease: number;
  readonly webhook: Webhook;
  /** Encrypted; those that are valid now, newest first. */
  readonly secrets: readonly Uint8Array[];
  /** The change, with the current report. `undefined` for a test. */
  readonly change: Change | undefined;
}

/** The newest secret of a webhook. */
export interface UnidentifiedSecret extends WebhookKey {
  readonly number: number;
  readonly sealed: Uint8Array;
}

export type QueueOutcome = 'queued' | 'absent' | 'disabled' | 'suspended';
