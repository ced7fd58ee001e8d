import { invalid, Problem } from '../../domain/problem.ts';
import type { WebhookChanges } from '../../domain/webhooks/administration.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { Webhook } from '../../ports/webhook-store.ts';
import { findAccount } from '../accounts/find-account.ts';
import type { Dependencies } from '../dependencies.ts';
import type { WebhookDependencies } from './webhook-dependencies.ts';

export interface WebhookListOptions {
  readonly limit: number;
  readonly after?: string | undefined;
  readonly service?: string | undefined;
  /** The id or the name of the owning account. */
  readonly account?: string | undefined;
}

/** Lists the webhooks of all feeds, for administrators. */
export async function listAllWebhooks(
  deps: Dependencies,
  { account, limit, after, service }: WebhookListOptions,
): Promise<{ readonly webhooks: readonly Webhook[]; readonly hasMore: boolean }> {
  const accountId = account === undefined ? undefined : (await findAccount(deps, account)).id;
  // The extra row shows whether there are more.
  const page = { limit: limit + 1, after, service, accountId };
  const found = await deps.store.webhooks.listAll(page);
  return { webhooks: found.slice(0, limit), hasMore: found.length > limit };
}

/** Disables or enables a webhook of any feed, or changes its owner. */
export async function administerWebhook(
  deps: WebhookDependencies,
  audit: AuditContext,
  id: string,
  changes: WebhookChanges,
): Promise<Webhook> {
  const webhook = await deps.store.webhooks.administer(id, changes, audit);
  if (webhook === 'absent') throw new Problem('unknown_webhook');
  if (webhook === 'unknown-account') throw new Problem('unknown_account');
  if (webhook === 'not-owner')
    throw invalid('invalid_body', ['owner must be an account that owns the feed of this webhook.']);
  deps.wakeDeliveries();
  return webhook;
}
