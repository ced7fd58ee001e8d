import { mailDueAt } from '../../../domain/mail/mail-settings.ts';
import { deliveryIdOf, type WebhookEvent } from '../../../domain/webhooks/webhook.ts';
import type { WebhookRow } from '../../tables.ts';
import { all, announceDeliveries, each, query, rows, type UnitOfWork } from '../../unit-of-work.ts';

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

/** Part of the transaction of the change, so that no delivery is missed. */
export function* queueDeliveries(events: readonly QueuedEvent[]): UnitOfWork<void> {
  const feeds = [...new Set(events.map(({ serviceId }) => serviceId))];
  for (const serviceId of feeds) {
    const enabled = yield* rows(selectEnabled, { serviceId });
    const ofFeed = events.filter((event) => event.serviceId === serviceId);
    const queued = enabled.flatMap((webhook) => deliveriesTo(webhook, ofFeed));
    yield* each(insertDelivery, queued);
    if (queued.length > 0) yield* announceDeliveries();
  }
}

function deliveriesTo(
  webhook: Pick<WebhookRow, 'id' | 'events' | 'mail_delivery'>,
  events: readonly QueuedEvent[],
) {
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
