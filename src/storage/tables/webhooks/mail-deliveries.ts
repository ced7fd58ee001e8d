import type { LeasedMail, SettledMail } from '../../../ports/mail-store.ts';
import type { Delivery, DeliveryLease, DeliveryPage } from '../../../ports/webhook-store.ts';
import type { UnitOfWork } from '../../units/unit-of-work.ts';
import { renewLeases } from './delivery-leases.ts';
import { findMail } from './mail-destinations.ts';
import { deliveriesTo, queueTestTo, requeueDelivery } from './webhook-deliveries.ts';
import { settleDelivery } from './webhook-settlements.ts';

export function* renewMail(
  leased: readonly LeasedMail[],
  lease: DeliveryLease,
): UnitOfWork<number> {
  return yield* renewLeases(
    leased.flatMap(({ deliveries }) => deliveries),
    lease,
  );
}

export function* settleMail(
  { destination: { service } }: LeasedMail,
  settled: readonly SettledMail[],
): UnitOfWork<void> {
  for (const { delivery, outcome } of settled)
    yield* settleDelivery(
      { ...delivery, webhook: { service } },
      outcome,
      // The deletion of a report is no fault of the mail server.
      delivery.report !== undefined || delivery.reportId === undefined,
    );
}

export function* listMailDeliveries(
  service: string,
  page: DeliveryPage,
): UnitOfWork<readonly Delivery[] | 'absent'> {
  const destination = yield* findMail(service);
  return destination === undefined ? 'absent' : yield* deliveriesTo(destination.id, page);
}

export function* replayMail(
  service: string,
  deliveryId: string,
  at: Date,
): UnitOfWork<'queued' | 'absent' | 'absent-delivery'> {
  const destination = yield* findMail(service);
  return destination === undefined
    ? 'absent'
    : yield* requeueDelivery(destination.id, deliveryId, at);
}

export function* testMail(service: string, id: string, at: Date): UnitOfWork<'queued' | 'absent'> {
  const destination = yield* findMail(service);
  return destination === undefined ? 'absent' : yield* queueTestTo(destination.id, id, at);
}
