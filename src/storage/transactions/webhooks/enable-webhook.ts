import type { AuditContext } from '../../../ports/audit-context.ts';
import type { Webhook, WebhookKey } from '../../../ports/webhook-store.ts';
import { countEnabled } from '../../tables/deliveries/destinations.ts';
import { findWebhook, markEnabled, selectWebhook } from '../../tables/webhooks/webhooks.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockFeeds } from '../../units/locks.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

export function* enableWebhook(
  key: WebhookKey,
  audit: AuditContext,
): UnitOfWork<Webhook | 'absent' | 'forbidden'> {
  const { service, id } = key;
  yield* lockFeeds([service]);
  const found = yield* row(selectWebhook, { service, id });
  if (found === undefined) return 'absent';
  if (found.disabled_by !== null) return 'forbidden';
  yield* rows(markEnabled, { id });
  yield* rows(countEnabled, { serviceId: found.service_id });
  yield* writeAudit(audit, 'webhook.enable', id, { service });
  return (yield* findWebhook(key)) ?? 'absent';
}
