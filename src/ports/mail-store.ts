import type { AttemptOutcome } from '../domain/deliveries/retries.ts';
import type { MailSettings } from '../domain/mail/mail-settings.ts';
import type { Report } from '../domain/reports/report.ts';
import type { Delivery, DeliveryLease, DeliveryPage } from './deliveries.ts';

/** Where a service gets its new reports by mail. */
export interface MailDestination extends MailSettings {
  readonly id: string;
  readonly service: string;
  readonly createdAt: Date;
  /** The first of the failed attempts since the last mail that was accepted. */
  readonly failingSince: Date | undefined;
}

/**
 * A destination of mail and its deliveries, which are queued in the transaction of a report's
 * creation like those of webhooks. `ServiceStore` sets the destinations.
 */
export interface MailStore {
  find(service: string): Promise<MailDestination | undefined>;
  /** The destinations of all services. */
  list(): Promise<readonly MailDestination[]>;
  /** Newest first. */
  deliveries(service: string, page: DeliveryPage): Promise<readonly Delivery[] | 'absent'>;
  /** Queues a delivery again, with a new series of attempts. */
  replay(
    service: string,
    deliveryId: string,
    at: Date,
  ): Promise<'queued' | 'absent' | 'absent-delivery'>;
  /** Queues a mail without a report. It is due at once, even if the service receives digests. */
  test(service: string, deliveryId: string, at: Date): Promise<'queued' | 'absent'>;
  /** Leases the deliveries of mails that are due, for `leaseMs`. */
  lease(request: MailLeaseRequest): Promise<readonly LeasedMail[]>;
  /** Like `WebhookStore.renew`. */
  renew(leased: readonly LeasedMail[], lease: DeliveryLease): Promise<number>;
  /** Records the outcomes of one attempt. Deliveries whose lease was lost are not changed. */
  settle(settled: readonly SettledMail[]): Promise<void>;
}

export interface MailLeaseRequest extends DeliveryLease {
  /** The largest number of mails. */
  readonly limit: number;
  /** The largest number of concurrent mails to a destination. */
  readonly perDestination: number;
  /** The largest number of reports in a mail. */
  readonly perMail: number;
}

/** The deliveries of one mail: one, or those of a digest. */
export interface LeasedMail {
  readonly destination: MailDestination;
  readonly serviceName: string;
  readonly confidenceScale: number;
  readonly deliveries: readonly LeasedMailDelivery[];
}

export interface LeasedMailDelivery extends Delivery {
  /** The number of this lease. */
  readonly lease: number;
  /** `undefined` if it was deleted, and in a test. */
  readonly report: Report | undefined;
}

export interface SettledMail {
  readonly delivery: LeasedMailDelivery;
  readonly outcome: AttemptOutcome;
}
