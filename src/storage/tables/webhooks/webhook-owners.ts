import { sql } from 'kysely';
import type { WebhookOwner } from '../../../domain/webhooks/webhook-owner.ts';

/** The columns that `ownerFromRow` reads, for a select from `webhook`. */
export const OWNER_COLUMNS = [
  sql<string | null>`(select name from account where account.id = webhook.account_id)`.as(
    'owner_name',
  ),
  sql<number | null>`(select disabled from account where account.id = webhook.account_id)`.as(
    'owner_disabled',
  ),
  sql<string | null>`(select expires_at from account where account.id = webhook.account_id)`.as(
    'owner_expires_at',
  ),
  sql<number>`(
    select count(*) from account_service
    where account_service.account_id = webhook.account_id
      and account_service.service_id = webhook.service_id
  )`.as('owner_feeds'),
] as const;

export interface OwnerRow {
  readonly account_id: string | null;
  readonly owner_name: string | null;
  readonly owner_disabled: number | null;
  readonly owner_expires_at: string | null;
  readonly owner_feeds: number;
}

export function ownerFromRow(row: OwnerRow): WebhookOwner | undefined {
  if (row.account_id === null || row.owner_name === null) return undefined;
  return {
    accountId: row.account_id,
    name: row.owner_name,
    disabled: row.owner_disabled !== 0,
    expiresAt: row.owner_expires_at === null ? undefined : new Date(row.owner_expires_at),
    ownsFeed: row.owner_feeds > 0,
  };
}
