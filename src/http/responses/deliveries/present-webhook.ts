import { suspensionOf } from '../../../domain/webhooks/webhook-owner.ts';
import type { Delivery } from '../../../ports/deliveries.ts';
import type { Webhook } from '../../../ports/webhook-store.ts';
import { formatUtc, formatUtcOrNull } from '../present.ts';

export function presentWebhook(webhook: Webhook, now: Date) {
  return {
    id: webhook.id,
    service: webhook.service,
    url: webhook.url,
    events: webhook.events,
    format: webhook.format,
    createdBy: webhook.createdBy,
    createdAt: formatUtc(webhook.createdAt),
    owner: webhook.owner?.name ?? null,
    suspendedReason: suspensionOf(webhook.owner, now) ?? null,
    disabledAt: formatUtcOrNull(webhook.disabledAt),
    disabledReason: webhook.disabledReason ?? null,
    failingSince: formatUtcOrNull(webhook.failingSince),
  };
}

export function presentDelivery(delivery: Delivery) {
  return {
    id: delivery.id,
    event: delivery.event,
    sequence: delivery.sequence,
    reportId: delivery.reportId ?? null,
    state: delivery.state,
    attempts: delivery.attempts,
    nextAttemptAt: delivery.state === 'waiting' ? formatUtc(delivery.dueAt) : null,
    lastStatus: delivery.lastStatus ?? null,
    lastError: delivery.lastError ?? null,
    createdAt: formatUtc(delivery.createdAt),
    finishedAt: formatUtcOrNull(delivery.finishedAt),
  };
}
