import { sql } from 'kysely';
import { MAX_WEBHOOKS } from '../../../domain/webhooks/webhook.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { SealedSecret } from '../../../ports/outgoing.ts';
import type { Webhook, WebhookKey } from '../../../ports/webhook-store.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockFeeds } from '../../units/locks.ts';
import { all, query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import {
  COLUMNS,
  fromWebhookRow,
  selectWebhooks,
  toRow,
  type WebhookValues,
} from './webhook-rows.ts';
import { addSecret, replaceSecret } from './webhook-secrets.ts';

const selectServiceId = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').select('id').where('slug', '=', parameter.slug),
);

const insertWebhook = query<WebhookValues>()((db, parameter) =>
  db.insertInto('webhook').values(all(parameter, COLUMNS)),
);

const selectOfService = query<{ service: string }>()((db, parameter) =>
  selectWebhooks(db)
    .where('service.slug', '=', parameter.service)
    .where('webhook.removed_at', 'is', null)
    .orderBy('webhook.id'),
);

const selectWebhook = query<{ service: string; id: string }>()((db, parameter) =>
  selectWebhooks(db)
    .where('webhook.id', '=', parameter.id)
    .where('service.slug', '=', parameter.service)
    .where('webhook.removed_at', 'is', null),
);

/** A removed webhook is disabled too, so that no deliveries are queued for it. */
export const markRemoved = query<{ id: string; at: string }>()((db, parameter) =>
  db
    .updateTable('webhook')
    .set({ removed_at: parameter.at, disabled_at: parameter.at })
    .where('id', '=', parameter.id),
);

const markDisabled = query<{ id: string; at: string; reason: string }>()((db, parameter) =>
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

/** Counts again instead of adding and subtracting, so that an error cannot persist. */
export const countEnabled = query<{ serviceId: number }>()((db, parameter) =>
  db
    .updateTable('service')
    .set((to) => ({
      webhook_count: to
        .selectFrom('webhook')
        .select(sql<number>`count(*)`.as('count'))
        .where('webhook.service_id', '=', parameter.serviceId)
        .where('webhook.disabled_at', 'is', null),
    }))
    .where('id', '=', parameter.serviceId),
);

export function* addWebhook(
  webhook: Webhook,
  secret: SealedSecret,
  audit: AuditContext,
): UnitOfWork<'added' | 'too-many' | 'unknown-service'> {
  const { id, service } = webhook;
  yield* lockFeeds([service]);
  const found = yield* row(selectServiceId, { slug: service });
  if (found === undefined) return 'unknown-service';
  if ((yield* rows(selectOfService, { service })).length >= MAX_WEBHOOKS) return 'too-many';
  yield* rows(insertWebhook, toRow(webhook, found.id));
  yield* addSecret(id, secret);
  yield* rows(countEnabled, { serviceId: found.id });
  // Only the host of the URL: the rest may be a secret of the owner.
  const { host } = new URL(webhook.url);
  yield* writeAudit(audit, 'webhook.add', id, { service, host, format: webhook.format });
  return 'added';
}

export function* listWebhooks(service: string): UnitOfWork<readonly Webhook[]> {
  return (yield* rows(selectOfService, { service })).map(fromWebhookRow);
}

export function* findWebhook({ service, id }: WebhookKey): UnitOfWork<Webhook | undefined> {
  const found = yield* row(selectWebhook, { service, id });
  return found && fromWebhookRow(found);
}

export function* removeWebhook(
  key: WebhookKey,
  audit: AuditContext,
): UnitOfWork<'removed' | 'absent'> {
  const { service, id } = key;
  yield* lockFeeds([service]);
  const found = yield* row(selectWebhook, { service, id });
  if (found === undefined) return 'absent';
  yield* rows(markRemoved, { id, at: audit.at.toISOString() });
  yield* rows(countEnabled, { serviceId: found.service_id });
  yield* writeAudit(audit, 'webhook.remove', id, { service });
  return 'removed';
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

/** Disables a webhook whose deliveries keep failing. Owners remove theirs instead. */
export function* disableWebhook(id: string, at: Date, reason: string): UnitOfWork<void> {
  const disabled = yield* row(markDisabled, { id, at: at.toISOString(), reason });
  if (disabled === undefined) return;
  yield* rows(countEnabled, { serviceId: disabled.service_id });
  yield* writeAudit({ actor: 'rapsheet', at }, 'webhook.disable', id, { reason });
}
