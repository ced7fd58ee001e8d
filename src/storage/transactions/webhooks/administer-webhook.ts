import type { AuditContext } from '../../../ports/audit-context.ts';
import type { WebhookAdministration, WebhookChanges } from '../../../ports/webhook-store.ts';
import { findAccount } from '../../tables/accounts/accounts.ts';
import { countEnabled } from '../../tables/deliveries/destinations.ts';
import { markDisabledBy, selectById, setOwner } from '../../tables/webhooks/webhook-pages.ts';
import { fromWebhookRow } from '../../tables/webhooks/webhook-rows.ts';
import { markEnabled } from '../../tables/webhooks/webhooks.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockFeeds } from '../../units/locks.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

export function* administerWebhook(
  id: string,
  changes: WebhookChanges,
  audit: AuditContext,
): UnitOfWork<WebhookAdministration> {
  const found = yield* row(selectById, { id });
  if (found === undefined) return 'absent';
  const service = found.slug;
  yield* lockFeeds([service]);
  const owner =
    changes.owner === undefined ? undefined : yield* findAccount(changes.owner, audit.at);
  if (changes.owner !== undefined && owner === undefined) return 'unknown-account';
  if (owner !== undefined && !owner.services.includes(service)) return 'not-owner';
  if (owner !== undefined) yield* rows(setOwner, { id, accountId: owner.id });
  if (changes.disabled === true) {
    const reason = `An administrator, ${audit.actor}, disabled it.`;
    yield* rows(markDisabledBy, { id, at: audit.at.toISOString(), reason, by: audit.actor });
  }
  if (changes.disabled === false) yield* rows(markEnabled, { id });
  yield* rows(countEnabled, { serviceId: found.service_id });
  yield* writeAudit(audit, 'webhook.change', id, {
    service,
    ...changes,
    ...(owner && { owner: owner.name }),
  });
  const changed = yield* row(selectById, { id });
  return changed === undefined ? 'absent' : fromWebhookRow(changed);
}
