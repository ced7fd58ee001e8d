import { queueDeliveries, type WebhooksOfFeeds } from '../../tables/deliveries/queue-deliveries.ts';
import { insertEvent } from '../../tables/feeds/events.ts';
import type { FeedPosition } from '../../tables/feeds/sequences.ts';
import { announce } from '../../units/effects.ts';
import { eachDeferred, type UnitOfWork } from '../../units/unit-of-work.ts';

export interface FeedEvent {
  readonly type: 'created' | 'updated' | 'deleted';
  readonly reportId: string;
  readonly at: string;
  /** The number of the report; only some events have it. */
  readonly number?: number;
}

/**
 * Every change of a feed ends with this: it writes the event and the deliveries of webhooks, and
 * notifies listeners after the commit.
 */
export function* appendEvent(position: FeedPosition, event: FeedEvent): UnitOfWork<void> {
  yield* appendEvents([{ position, event }]);
}

export interface PositionedEvent {
  readonly position: FeedPosition;
  readonly event: FeedEvent;
}

/** `webhooks` are those of feeds whose caller has read them already, after it locked the feed. */
export function* appendEvents(
  events: readonly PositionedEvent[],
  webhooks: WebhooksOfFeeds = new Map(),
): UnitOfWork<void> {
  const written = events.map(({ position, event }) => ({
    service_id: position.serviceId,
    sequence: position.sequence,
    type: event.type,
    report_id: event.reportId,
    at: event.at,
    number: event.number ?? null,
  }));
  yield* eachDeferred(insertEvent, written);
  const withWebhooks = events.filter(({ position }) => position.webhookCount > 0);
  yield* queueDeliveries(
    withWebhooks.map(({ position: { serviceId, sequence }, event }) => ({
      serviceId,
      sequence,
      ...event,
    })),
    webhooks,
  );
  for (const service of new Set(events.map(({ position }) => position.service)))
    yield* announce(service);
}
