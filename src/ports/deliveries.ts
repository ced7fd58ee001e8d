import type { EventType } from '../domain/webhooks/webhook.ts';

/** What the deliveries of webhooks and of mail have in common. */

export interface Delivery {
  /** The same for all attempts. A webhook gets it as the header `webhook-id`. */
  readonly id: string;
  /** The id of the webhook or of the destination of mail. */
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

export interface DeliveryPage {
  readonly limit: number;
  /** Only deliveries created before this one. */
  readonly before: string | undefined;
  readonly state: Delivery['state'] | undefined;
}

/**
 * The length of a lease. On PostgreSQL the clock of the database decides, which all nodes share.
 */
export interface DeliveryLease {
  readonly leaseMs: number;
  readonly now: Date;
}

/** Which deliveries housekeeping deletes. */
export interface DeliveryRetention {
  readonly now: Date;
  readonly deliveredBefore: Date;
  /** The key of this process. */
  readonly keyId: string;
  /**
   * For dead deliveries, for pending ones of webhooks disabled before that, and for pending ones
   * that were due before that, if the webhook is suspended or its secret has another key.
   */
  readonly deadBefore: Date;
  readonly limit: number;
}
