import type { AuditContext } from '../../../ports/audit-context.ts';
import type { WebhookKey } from '../../../ports/webhook-store.ts';
import { countEnabled, markRemoved } from '../../tables/deliveries/destinations.ts';
import { selectWebhook } from '../../tables/webhooks/webhooks.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockFeeds } from '../../units/locks.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

export function* removeWebhook(
  { service, id }: WebhookKey,
  audit: AuditContext,
): UnitOfWork<'removed' | 'absent'> {
  yield* lockFeeds([service]);
  const found = yield* row(selectWebhook, { service, id });
  if (found === undefined) return 'absent';
  yield* rows(markRemoved, { id, at: audit.at.toISOString() });
  yield* rows(countEnabled, { serviceId: found.service_id });
  yield* writeAudit(audit, 'webhook.remove', id, { service });
  return 'removed';
}
