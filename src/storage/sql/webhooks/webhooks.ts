import { sql } from 'kysely';
import { deliveryIdOf, MAX_WEBHOOKS, type WebhookEvent } from '../../../domain/webhooks/webhook.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { Webhook, WebhookPlace } from '../../../ports/webhook-store.ts';
import type { WebhookRow } from '../../tables.ts';
import { all, each, query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { writeAudit } from '../accounts/audit.ts';
import { lockFeeds } from '../feeds/feed-lock.ts';
import { OWNER_COLUMNS, type OwnerRow, ownerFromRow } from './webhook-owners.ts';

const COLUMNS = [
  'id',
  'service_id',
  'url',
  'events',
  'format',
  'created_by',
  'account_id',
  'created_at',
] as const satisfies readonly (keyof WebhookRow)[];
type Values = Pick<WebhookRow, (typeof COLUMNS)[number]>;

/** A signature for each of them goes out with every delivery. */
const MOST_SECRETS = 4;

const selectServiceId = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').select('id').where('slug', '=', parameter.slug),
);

const insertWebhook = query<Values>()((db, parameter) =>
  db.insertInto('webhook').values(all(parameter, COLUMNS)),
);

const selectOfService = query<{ service: string }>()((db, parameter) =>
  db
    .selectFrom('webhook')
    .innerJoin('service', 'service.id', 'webhook.service_id')
    .selectAll('webhook')
    .select('service.slug')
    .select(OWNER_COLUMNS)
    .where('service.slug', '=', parameter.service)
    .where('webhook.removed_at', 'is', null)
    .orderBy('webhook.id'),
);

const selectWebhook = query<{ service: string; id: string }>()((db, parameter) =>
  db
    .selectFrom('webhook')
    .innerJoin('service', 'service.id', 'webhook.service_id')
    .selectAll('webhook')
    .select('service.slug')
    .select(OWNER_COLUMNS)
    .where('webhook.id', '=', parameter.id)
    .where('service.slug', '=', parameter.service)
    .where('webhook.removed_at', 'is', null),
);

/** A removed one is told of nothing any more, like a disabled one. */
const markRemoved = query<{ id: string; at: string }>()((db, parameter) =>
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
      paused_until: null,
    })
    .where('id', '=', parameter.id),
);

/** Counted anew rather than up and down, so that it cannot go wrong for good. */
export const countLive = query<{ serviceId: number }>()((db, parameter) =>
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

const insertSecret = query<{ webhookId: string; sealed: Uint8Array }>()((db, parameter) =>
  db.insertInto('webhook_secret').values((to) => ({
    webhook_id: parameter.webhookId,
    sealed: parameter.sealed,
    number: to
      .selectFrom('webhook_secret as other')
      .select(sql<number>`coalesce(max(other.number), 0) + 1`.as('number'))
      .where('other.webhook_id', '=', parameter.webhookId),
  })),
);

const endSecrets = query<{ webhookId: string; until: string }>()((db, parameter) =>
  db
    .updateTable('webhook_secret')
    .set({ valid_until: parameter.until })
    .where('webhook_id', '=', parameter.webhookId)
    .where((where) =>
      where.or([where('valid_until', 'is', null), where('valid_until', '>', parameter.until)]),
    ),
);

const deleteOldSecrets = query<{ webhookId: string; at: string; most: number }>()((db, parameter) =>
  db
    .deleteFrom('webhook_secret')
    .where('webhook_id', '=', parameter.webhookId)
    .where((where) =>
      where.or([
        where('valid_until', '<=', parameter.at),
        where(
          'number',
          '<=',
          where
            .selectFrom('webhook_secret as other')
            .select(sql<number>`max(other.number) - ${parameter.most}`.as('number'))
            .where('other.webhook_id', '=', parameter.webhookId),
        ),
      ]),
    ),
);

const selectLive = query<{ serviceId: number }>()((db, parameter) =>
  db
    .selectFrom('webhook')
    .select(['id', 'events'])
    .where('service_id', '=', parameter.serviceId)
    .where('disabled_at', 'is', null),
);

const insertDelivery = query<{
  id: string;
  webhook_id: string;
  event: string;
  sequence: number;
  report_id: string;
  due_at: string;
  created_at: string;
}>()((db, parameter) =>
  db
    .insertInto('delivery')
    .values(
      all(parameter, [
        'id',
        'webhook_id',
        'event',
        'sequence',
        'report_id',
        'due_at',
        'created_at',
      ]),
    ),
);

interface QueuedEvent {
  readonly serviceId: number;
  readonly sequence: number;
  readonly type: 'created' | 'updated' | 'deleted';
  readonly reportId: string;
  readonly at: string;
}

/** In the transaction of the change, so that none can be missed. */
export function* queueDeliveries(events: readonly QueuedEvent[]): UnitOfWork<void> {
  const feeds = [...new Set(events.map(({ serviceId }) => serviceId))];
  for (const serviceId of feeds) {
    const live = yield* rows(selectLive, { serviceId });
    const own = events.filter((event) => event.serviceId === serviceId);
    yield* each(
      insertDelivery,
      live.flatMap((webhook) => deliveriesTo(webhook, own)),
    );
  }
}

function deliveriesTo(
  webhook: { readonly id: string; readonly events: string },
  events: readonly QueuedEvent[],
) {
  const wanted: readonly WebhookEvent[] = JSON.parse(webhook.events);
  return events.flatMap(({ type, sequence, reportId, at }) => {
    const event: WebhookEvent = `report.${type}`;
    if (!wanted.includes(event)) return [];
    const id = deliveryIdOf(webhook.id, sequence, new Date(at));
    const about = { event, sequence, report_id: reportId, due_at: at, created_at: at };
    return [{ id, webhook_id: webhook.id, ...about }];
  });
}

export function* addWebhook(
  webhook: Webhook,
  sealed: Uint8Array,
  audit: AuditContext,
): UnitOfWork<'added' | 'too-many' | 'unknown-service'> {
  const { id, service } = webhook;
  yield* lockFeeds([service]);
  const found = yield* row(selectServiceId, { slug: service });
  if (found === undefined) return 'unknown-service';
  if ((yield* rows(selectOfService, { service })).length >= MAX_WEBHOOKS) return 'too-many';
  yield* rows(insertWebhook, toRow(webhook, found.id));
  yield* rows(insertSecret, { webhookId: id, sealed });
  yield* rows(countLive, { serviceId: found.id });
  // Of the address only the host: the rest may be known to its owner alone.
  const { host } = new URL(webhook.url);
  yield* writeAudit(audit, 'webhook.add', id, { service, host, format: webhook.format });
  return 'added';
}

export function* listWebhooks(service: string): UnitOfWork<readonly Webhook[]> {
  return (yield* rows(selectOfService, { service })).map(fromWebhookRow);
}

export function* findWebhook({ service, id }: WebhookPlace): UnitOfWork<Webhook | undefined> {
  const found = yield* row(selectWebhook, { service, id });
  return found && fromWebhookRow(found);
}

export function* removeWebhook(
  place: WebhookPlace,
  audit: AuditContext,
): UnitOfWork<'removed' | 'absent'> {
  const { service, id } = place;
  yield* lockFeeds([service]);
  const found = yield* row(selectWebhook, { service, id });
  if (found === undefined) return 'absent';
  yield* rows(markRemoved, { id, at: audit.at.toISOString() });
  yield* rows(countLive, { serviceId: found.service_id });
  yield* writeAudit(audit, 'webhook.remove', id, { service });
  return 'removed';
}

export function* rotateSecret(
  place: WebhookPlace,
  sealed: Uint8Array,
  oldUntil: Date,
  audit: AuditContext,
): UnitOfWork<Webhook | 'absent'> {
  const { service, id: webhookId } = place;
  yield* lockFeeds([service]);
  const found = yield* row(selectWebhook, { service, id: webhookId });
  if (found === undefined) return 'absent';
  yield* rows(endSecrets, { webhookId, until: oldUntil.toISOString() });
  yield* rows(insertSecret, { webhookId, sealed });
  yield* rows(deleteOldSecrets, { webhookId, at: audit.at.toISOString(), most: MOST_SECRETS });
  yield* writeAudit(audit, 'webhook.rotate', webhookId, { service });
  return fromWebhookRow(found);
}

export function* enableWebhook(
  place: WebhookPlace,
  audit: AuditContext,
): UnitOfWork<Webhook | 'absent' | 'forbidden'> {
  const { service, id } = place;
  yield* lockFeeds([service]);
  const found = yield* row(selectWebhook, { service, id });
  if (found === undefined) return 'absent';
  if (found.disabled_by !== null) return 'forbidden';
  yield* rows(markEnabled, { id });
  yield* rows(countLive, { serviceId: found.service_id });
  yield* writeAudit(audit, 'webhook.enable', id, { service });
  return (yield* findWebhook(place)) ?? 'absent';
}

/** By us, not by its owner: who only wants it no more removes it. */
export function* disableWebhook(id: string, at: Date, reason: string): UnitOfWork<void> {
  const disabled = yield* row(markDisabled, { id, at: at.toISOString(), reason });
  if (disabled === undefined) return;
  yield* rows(countLive, { serviceId: disabled.service_id });
  yield* writeAudit({ actor: 'rapsheet', at }, 'webhook.disable', id, { reason });
}

function toRow(webhook: Webhook, serviceId: number): Values {
  return {
    id: webhook.id,
    service_id: serviceId,
    url: webhook.url,
    events: JSON.stringify(webhook.events),
    format: webhook.format,
    created_by: webhook.createdBy,
    account_id: webhook.owner?.accountId ?? null,
    created_at: webhook.createdAt.toISOString(),
  };
}

export function fromWebhookRow(row: WebhookRow & OwnerRow & { readonly slug: string }): Webhook {
  return {
    id: row.id,
    service: row.slug,
    url: row.url,
    events: JSON.parse(row.events),
    format: row.format,
    createdBy: row.created_by,
    createdAt: new Date(row.created_at),
    owner: ownerFromRow(row),
    disabledAt: row.disabled_at === null ? undefined : new Date(row.disabled_at),
    disabledReason: row.disabled_reason ?? undefined,
    failingSince: row.failing_since === null ? undefined : new Date(row.failing_since),
  };
}
