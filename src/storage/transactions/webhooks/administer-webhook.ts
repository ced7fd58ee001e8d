import {
  decideAdministration,
  type WebhookChanges,
} from '../../../domain/webhooks/administration.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { WebhookAdministration } from '../../../ports/webhook-store.ts';
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

  const { actor: administrator } = audit;
  const decision = decideAdministration({ changes, service, owner, administrator });
  if (typeof decision === 'string') return decision;

  const { ownerId, state } = decision;
  if (ownerId !== undefined) yield* rows(setOwner, { id, accountId: ownerId });
  if (state === 'enable') yield* rows(markEnabled, { id });
  else if (state !== undefined) {
    const at = audit.at.toISOString();
    yield* rows(markDisabledBy, { id, at, reason: state.disabled, by: administrator });
  }
  yield* rows(countEnabled, { serviceId: found.service_id });
  yield* writeAudit(audit, 'webhook.change', id, {
    service,
    ...changes,
    ...(owner && { owner: owner.name }),
  });
  const changed = yield* row(selectById, { id });
  return changed === undefined ? 'absent' : fromWebhookRow(changed);
}
