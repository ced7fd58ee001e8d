import { sql } from 'kysely';
import type { WebhookOwner } from '../../../domain/webhooks/webhook-owner.ts';
import { query, rows, type UnitOfWork } from '../../unit-of-work.ts';

/**
 * Whether the owner of a row of `webhook` is live and owns its feed. Never null. Two counts rather than `exists` over a
 * join: PostgreSQL would turn that into a join with `webhook`, and might begin it with all accounts. A count is always
 * looked up for each webhook, by the primary key.
 */
export function isOwnedNow(now: string) {
  return sql<boolean>`(
    (
      select count(*) from account
      where account.id = webhook.account_id
        and account.disabled = 0
        and (account.expires_at is null or account.expires_at > ${now})
    ) = 1
    and (
      select count(*) from account_service
      where account_service.account_id = webhook.account_id
        and account_service.service_id = webhook.service_id
    ) = 1
  )`;
}

/** What a webhook's owner is read from: a column each, beside those of `webhook`. */
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

const selectSuspended = query<{ now: string }>()((db, parameter) =>
  db
    .selectFrom('webhook')
    .select('webhook.id')
    .where('webhook.disabled_at', 'is', null)
    .where(sql<boolean>`not ${isOwnedNow(parameter.now)}`),
);

const deleteWaitingBefore = query<{ webhookId: string; before: string; limit: number }>()(
  (db, parameter) =>
    db
      .deleteFrom('delivery')
      .where('number', 'in', (from) =>
        from
          .selectFrom('delivery as old')
          .select('old.number')
          .where('old.webhook_id', '=', parameter.webhookId)
          .where('old.state', '=', sql.lit('waiting'))
          .where('old.due_at', '<', parameter.before)
          .limit(parameter.limit),
      )
      .returning('number'),
);

/** A webhook that stays suspended gathers no more than is kept of dead deliveries. */
export function* forgetSuspended(now: Date, before: Date, limit: number): UnitOfWork<number> {
  let gone = 0;
  for (const { id } of yield* rows(selectSuspended, { now: now.toISOString() })) {
    if (gone >= limit) break;
    const asked = { webhookId: id, before: before.toISOString(), limit: limit - gone };
    gone += (yield* rows(deleteWaitingBefore, asked)).length;
  }
  return gone;
}
