import { sql } from 'kysely';

/**
 * Whether the owner of a row of `webhook` is active and owns its feed. Never null. Two counts
 * instead of `exists` over a join: PostgreSQL would turn that into a join with `webhook`, and might
 * start with all accounts. A count is always evaluated for each webhook, by the primary key.
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

/** Whether this key encrypted the newest secret of a row of `webhook`. Never null. */
export function hasKey(keyId: string) {
  return sql<boolean>`(
    select count(*) from webhook_secret
    where webhook_secret.webhook_id = webhook.id
      and webhook_secret.valid_until is null
      and webhook_secret.key_id = ${keyId}
  ) > 0`;
}
