import type { Delivery, DeliveryPage } from '../../../ports/deliveries.ts';
import type { SettledMail } from '../../../ports/mail-store.ts';
import {
  deliveriesTo,
  queueTestTo,
  requeueDelivery,
} from '../../tables/deliveries/delivery-log.ts';
import { settleDelivery } from '../../tables/deliveries/settled-deliveries.ts';
import { findMail } from '../../tables/mail/mail.ts';
import type { UnitOfWork } from '../../units/unit-of-work.ts';

export function* listMailDeliveries(
  service: string,
  page: DeliveryPage,
): UnitOfWork<readonly Delivery[] | 'absent'> {
  const mail = yield* findMail(service);
  return mail === undefined ? 'absent' : yield* deliveriesTo(mail.id, page);
}

export function* replayMail(
  service: string,
  deliveryId: string,
  at: Date,
): UnitOfWork<'queued' | 'absent' | 'absent-delivery'> {
  const mail = yield* findMail(service);
  return mail === undefined ? 'absent' : yield* requeueDelivery(mail.id, deliveryId, at);
}

export function* testMail(service: string, id: string, at: Date): UnitOfWork<'queued' | 'absent'> {
  const mail = yield* findMail(service);
  return mail === undefined ? 'absent' : yield* queueTestTo(mail.id, id, at);
}

export function* settleMail(settled: readonly SettledMail[]): UnitOfWork<void> {
  for (const { delivery, outcome } of settled) {
    // The deletion of a report is no fault of the mail server.
    const isFault = delivery.report !== undefined || delivery.reportId === undefined;
    yield* settleDelivery(delivery, outcome, isFault);
  }
}
