import { mailDueAt } from '../../../domain/mail/mail-settings.ts';
import { deliveryIdOf, type WebhookEvent } from '../../../domain/webhooks/webhook.ts';
import type { WebhookRow } from '../../schema/tables.ts';
import { announceDeliveries } from '../../units/effects.ts';
import { all, query } from '../../units/query.ts';
import { each, eachDeferred, type UnitOfWork } from '../../units/unit-of-work.ts';

const selectEnabled = query<{ serviceId: number }>()((db, parameter) =>
  db
    .selectFrom('webhook')
    .select(['id', 'events', 'mail_delivery'])
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

type EnabledWebhook = Pick<WebhookRow, 'id' | 'events' | 'mail_delivery'>;

/** By the id of the service. */
export type WebhooksOfFeeds = ReadonlyMap<number, readonly EnabledWebhook[]>;

/** The caller has locked the feeds, so the result holds until the commit. */
export function* webhooksOf(serviceIds: readonly number[]): UnitOfWork<WebhooksOfFeeds> {
  const found = yield* each(
    selectEnabled,
    serviceIds.map((serviceId) => ({ serviceId })),
  );
  return new Map(serviceIds.map((serviceId, index) => [serviceId, found[index] ?? []]));
}

/** Part of the transaction of the change, so that no delivery is missed. */
export function* queueDeliveries(
  events: readonly QueuedEvent[],
  known: WebhooksOfFeeds,
): UnitOfWork<void> {
  const feeds = Map.groupBy(events, ({ serviceId }) => serviceId);
  const read = yield* webhooksOf([...feeds.keys()].filter((serviceId) => !known.has(serviceId)));
  const queued = [...feeds].flatMap(([serviceId, ofFeed]) => {
    const enabled = known.get(serviceId) ?? read.get(serviceId) ?? [];
    return enabled.flatMap((webhook) => deliveriesTo(webhook, ofFeed));
  });
  yield* eachDeferred(insertDelivery, queued);
  if (queued.length > 0) yield* announceDeliveries();
}

function deliveriesTo(webhook: EnabledWebhook, events: readonly QueuedEvent[]) {
  const subscribed: readonly WebhookEvent[] = JSON.parse(webhook.events);
  return events.flatMap(({ type, sequence, reportId, at }) => {
    const event: WebhookEvent = `report.${type}`;
    if (!subscribed.includes(event)) return [];
    const id = deliveryIdOf(webhook.id, sequence, new Date(at));
    const dueAt = mailDueAt(webhook.mail_delivery ?? 'each', new Date(at)).toISOString();
    const change = { event, sequence, report_id: reportId, due_at: dueAt, created_at: at };
    return [{ id, webhook_id: webhook.id, ...change }];
  });
}
