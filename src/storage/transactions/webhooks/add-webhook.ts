import { MAX_WEBHOOKS } from '../../../domain/webhooks/webhook.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { SealedSecret } from '../../../ports/outgoing.ts';
import type { Webhook } from '../../../ports/webhook-store.ts';
import { countEnabled } from '../../tables/deliveries/destinations.ts';
import { selectFeed } from '../../tables/services/feed-rows.ts';
import { toRow } from '../../tables/webhooks/webhook-rows.ts';
import { addSecret } from '../../tables/webhooks/webhook-secrets.ts';
import { insertWebhook, listWebhooks } from '../../tables/webhooks/webhooks.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockFeeds } from '../../units/locks.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

export function* addWebhook(
  webhook: Webhook,
  secret: SealedSecret,
  audit: AuditContext,
): UnitOfWork<'added' | 'too-many' | 'unknown-service'> {
  const { id, service } = webhook;
  yield* lockFeeds([service]);
  const feed = yield* row(selectFeed, { slug: service });
  if (feed === undefined) return 'unknown-service';
  if ((yield* listWebhooks(service)).length >= MAX_WEBHOOKS) return 'too-many';
  yield* rows(insertWebhook, toRow(webhook, feed.id));
  yield* addSecret(id, secret);
  yield* rows(countEnabled, { serviceId: feed.id });
  // Only the host of the URL: the rest may be a secret of the owner.
  const { host } = new URL(webhook.url);
  yield* writeAudit(audit, 'webhook.add', id, { service, host, format: webhook.format });
  return 'added';
}
