import { deliveryRefusal } from '../../../domain/webhooks/webhook-owner.ts';
import type { Delivery, DeliveryPage } from '../../../ports/deliveries.ts';
import type { QueueOutcome, WebhookKey } from '../../../ports/webhook-store.ts';
import {
  deliveriesTo,
  hasDelivery,
  queueTestTo,
  requeueDelivery,
} from '../../tables/deliveries/delivery-log.ts';
import { findWebhook } from '../../tables/webhooks/webhooks.ts';
import type { UnitOfWork } from '../../units/unit-of-work.ts';

export function* listDeliveries(
  key: WebhookKey,
  page: DeliveryPage,
): UnitOfWork<readonly Delivery[] | 'absent'> {
  const webhook = yield* findWebhook(key);
  return webhook === undefined ? 'absent' : yield* deliveriesTo(key.id, page);
}

export function* queueTest(key: WebhookKey, id: string, at: Date): UnitOfWork<QueueOutcome> {
  const webhook = yield* findWebhook(key);
  if (webhook === undefined) return 'absent';
  return deliveryRefusal(webhook, at) ?? (yield* queueTestTo(key.id, id, at));
}

export function* replayDelivery(
  key: WebhookKey,
  id: string,
  at: Date,
): UnitOfWork<QueueOutcome | 'absent-delivery'> {
  const webhook = yield* findWebhook(key);
  if (webhook === undefined) return 'absent';
  if (!(yield* hasDelivery(key.id, id))) return 'absent-delivery';
  return deliveryRefusal(webhook, at) ?? (yield* requeueDelivery(key.id, id, at));
}
