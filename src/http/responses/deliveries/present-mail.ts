import type { Delivery } from '../../../ports/deliveries.ts';
import type { MailDestination } from '../../../ports/mail-store.ts';
import { formatUtc, formatUtcOrNull } from '../present.ts';
import { presentDelivery } from './present-webhook.ts';

export function presentMailSettings(mail: MailDestination | undefined) {
  return mail === undefined ? null : { to: mail.to, format: mail.format, delivery: mail.delivery };
}

export function presentMail(mail: MailDestination) {
  return {
    service: mail.service,
    to: mail.to,
    format: mail.format,
    delivery: mail.delivery,
    createdAt: formatUtc(mail.createdAt),
    failingSince: formatUtcOrNull(mail.failingSince),
  };
}

export function presentMailDelivery(delivery: Delivery) {
  const { event: _, ...rest } = presentDelivery(delivery);
  return rest;
}
