import type { AuditContext } from '../../../ports/audit-context.ts';
import type { SealedSecret } from '../../../ports/outgoing.ts';
import type { Webhook, WebhookKey } from '../../../ports/webhook-store.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockFeeds } from '../../units/locks.ts';
import { all, query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { COLUMNS, fromWebhookRow, selectWebhooks, type WebhookValues } from './webhook-rows.ts';
import { replaceSecret } from './webhook-secrets.ts';

export const insertWebhook = query<WebhookValues>()((db, parameter) =>
  db.insertInto('webhook').values(all(parameter, COLUMNS)),
);

const selectOfService = query<{ service: string }>()((db, parameter) =>
  selectWebhooks(db)
    .where('service.slug', '=', parameter.service)
    .where('webhook.removed_at', 'is', null)
    .orderBy('webhook.id'),
);

export const selectWebhook = query<{ service: string; id: string }>()((db, parameter) =>
  selectWebhooks(db)
    .where('webhook.id', '=', parameter.id)
    .where('service.slug', '=', parameter.service)
    .where('webhook.removed_at', 'is', null),
);

export const markDisabled = query<{ id: string; at: string; reason: string }>()((db, parameter) =>
  db
    .updateTable('webhook')
    .set({ disabled_at: parameter.at, disabled_reason: parameter.reason })
    .where('id', '=', parameter.id)
    .where('disabled_at', 'is', null)
    .returning('service_id'),
);

export const markEnabled = query<{ id: string }>()((db, parameter) =>
  db
    .updateTable('webhook')
    .set({
      disabled_at: null,
      disabled_reason: null,
      disabled_by: null,
      failing_since: null,
      failing_delivery: null,
      paused_until: null,
    })
    .where('id', '=', parameter.id),
);

export function* listWebhooks(service: string): UnitOfWork<readonly Webhook[]> {
  return (yield* rows(selectOfService, { service })).map(fromWebhookRow);
}

export function* findWebhook({ service, id }: WebhookKey): UnitOfWork<Webhook | undefined> {
  const found = yield* row(selectWebhook, { service, id });
  return found && fromWebhookRow(found);
}

export function* rotateSecret(
  key: WebhookKey,
  secret: SealedSecret,
  oldUntil: Date,
  audit: AuditContext,
): UnitOfWork<Webhook | 'absent'> {
  const { service, id: webhookId } = key;
  yield* lockFeeds([service]);
  const found = yield* row(selectWebhook, { service, id: webhookId });
  if (found === undefined) return 'absent';
  yield* replaceSecret(webhookId, secret, { oldUntil, now: audit.at });
  yield* writeAudit(audit, 'webhook.rotate', webhookId, { service });
  return fromWebhookRow(found);
}
