import type { Kysely } from 'kysely';
import type { Webhook } from '../../../ports/webhook-store.ts';
import type { Tables, WebhookRow } from '../../schema/tables.ts';
import { OWNER_COLUMNS, type OwnerRow, ownerFromRow } from './webhook-owners.ts';

export const COLUMNS = [
  'id',
  'service_id',
  'url',
  'events',
  'format',
  'created_by',
  'account_id',
  'created_at',
] as const satisfies readonly (keyof WebhookRow)[];
export type WebhookValues = Pick<WebhookRow, (typeof COLUMNS)[number]>;

/**
 * Webhooks with the columns that `fromWebhookRow` reads. Removed ones are included, destinations of
 * mail are not.
 */
export function selectWebhooks(db: Kysely<Tables>) {
  return db
    .selectFrom('webhook')
    .innerJoin('service', 'service.id', 'webhook.service_id')
    .selectAll('webhook')
    .select('service.slug')
    .select(OWNER_COLUMNS)
    .where('webhook.mail_format', 'is', null);
}

export function toRow(webhook: Webhook, serviceId: number): WebhookValues {
  return {
    id: webhook.id,
    service_id: serviceId,
    url: webhook.url,
    events: JSON.stringify(webhook.events),
    format: webhook.format,
    created_by: webhook.createdBy,
    account_id: webhook.owner?.accountId ?? null,
    created_at: webhook.createdAt.toISOString(),
  };
}

export function fromWebhookRow(row: WebhookRow & OwnerRow & { readonly slug: string }): Webhook {
  return {
    id: row.id,
    service: row.slug,
    url: row.url,
    events: JSON.parse(row.events),
    format: row.format,
    createdBy: row.created_by,
    createdAt: new Date(row.created_at),
    owner: ownerFromRow(row),
    disabledAt: row.disabled_at === null ? undefined : new Date(row.disabled_at),
    disabledReason: row.disabled_reason ?? undefined,
    failingSince: row.failing_since === null ? undefined : new Date(row.failing_since),
  };
}
