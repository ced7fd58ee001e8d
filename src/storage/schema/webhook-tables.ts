import type { Generated } from 'kysely';
import type { MailDelivery, MailFormat } from '../../domain/mail/mail-settings.ts';
import type { WebhookFormat } from '../../domain/webhooks/webhook.ts';

/** The tables of webhooks, a part of `tables.ts`. */

export interface WebhookTable {
  id: string;
  service_id: number;
  url: string;
  events: string;
  format: WebhookFormat;
  created_by: string;
  created_at: string;
  disabled_at: string | null;
  disabled_reason: string | null;
  disabled_by: string | null;
  account_id: string | null;
  failing_since: string | null;
  /** The delivery that failed at `failing_since`. */
  failing_delivery: string | null;
  paused_until: string | null;
  removed_at: string | null;
  /** Null for a webhook, like `mail_delivery`; else the row is a destination of mail. */
  mail_format: MailFormat | null;
  mail_delivery: MailDelivery | null;
}

export interface WebhookSecretTable {
  webhook_id: string;
  number: number;
  sealed: Uint8Array;
  /** The id of the key; empty if it is not determined yet. */
  key_id: Generated<string>;
  valid_until: string | null;
}

export interface DeliveryTable {
  number: Generated<number>;
  id: string;
  webhook_id: string;
  event: string;
  sequence: number;
  report_id: string | null;
  state: Generated<'waiting' | 'delivered' | 'dead'>;
  attempts: Generated<number>;
  due_at: string;
  lease: Generated<number>;
  leased_until: string | null;
  last_status: number | null;
  last_error: string | null;
  created_at: string;
  finished_at: string | null;
}
