import type { Delivery, MailDelivery, Webhook } from '../../client/wire.ts';
import { table } from './table.ts';

export function webhookTable(webhooks: readonly Webhook[]): string {
  return table(
    ['ID', 'FEED', 'URL', 'EVENTS', 'FORMAT', 'STATE', 'SINCE', 'OWNER'],
    webhooks.map((webhook) => [
      webhook.id,
      webhook.service,
      webhook.url,
      webhook.events.join(' '),
      webhook.format,
      ...stateOf(webhook),
      webhook.owner ?? '',
    ]),
  );
}

function stateOf(webhook: Webhook) {
  const { disabledAt, disabledReason, suspendedReason, failingSince, createdAt } = webhook;
  if (disabledAt !== null) return [`disabled: ${disabledReason ?? 'no reason'}`, disabledAt];
  if (suspendedReason !== null) return [`suspended: ${suspendedReason}`, createdAt];
  return failingSince === null ? ['enabled', createdAt] : ['failing', failingSince];
}

export function mailDeliveryTable(deliveries: readonly MailDelivery[]): string {
  return table(
    ['CREATED', 'ID', 'STATE', 'NUMBER', 'REPORT', 'ATTEMPTS', 'LAST ANSWER', 'NEXT'],
    deliveries.map((delivery) => [
      delivery.createdAt,
      delivery.id,
      delivery.state,
      String(delivery.sequence),
      delivery.reportId ?? 'test',
      String(delivery.attempts),
      delivery.lastError ?? String(delivery.lastStatus ?? ''),
      delivery.nextAttemptAt ?? '',
    ]),
  );
}

export function deliveryTable(deliveries: readonly Delivery[]): string {
  return table(
    ['CREATED', 'ID', 'STATE', 'EVENT', 'NUMBER', 'REPORT', 'ATTEMPTS', 'LAST ANSWER', 'NEXT'],
    deliveries.map((delivery) => [
      delivery.createdAt,
      delivery.id,
      delivery.state,
      delivery.event,
      String(delivery.sequence),
      delivery.reportId ?? '',
      String(delivery.attempts),
      [delivery.lastStatus ?? [], delivery.lastError ?? []].flat().join(' '),
      delivery.nextAttemptAt ?? '',
    ]),
  );
}
