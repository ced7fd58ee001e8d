import type {
  LeasedMail,
  LeasedMailDelivery,
  MailLeaseRequest,
} from '../../../ports/mail-store.ts';
import type { DeliveryRow } from '../../schema/tables.ts';
import {
  leaseFrom,
  leaseOfMail,
  selectReadyMail,
} from '../../tables/deliveries/delivery-leases.ts';
import { fromDeliveryRow } from '../../tables/deliveries/delivery-rows.ts';
import { selectDestination } from '../../tables/mail/mail.ts';
import { fromMailRow } from '../../tables/mail/mail-rows.ts';
import { findReport } from '../../tables/reports/reports.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

export function* leaseMail(request: MailLeaseRequest): UnitOfWork<readonly LeasedMail[]> {
  const { limit, perDestination } = request;
  const lease = leaseFrom(request);
  const ready = { now: lease.now, perDestination, limit };
  const leased: LeasedMail[] = [];
  for (const { id, busy } of yield* rows(selectReadyMail, ready)) {
    const found = yield* row(selectDestination, { id });
    if (found === undefined) throw new Error('the destination of a mail does not exist');
    const isDigest = found.mail_delivery === 'daily';
    // One digest at a time: two would each have a part of the reports.
    const free = Math.min(perDestination - (busy ?? 0), limit - leased.length);
    if (free <= 0 || (isDigest && (busy ?? 0) > 0)) continue;
    const due = yield* rows(leaseOfMail, {
      ...lease,
      webhookId: id,
      limit: isDigest ? request.perMail : free,
    });
    const deliveries = yield* withReports(due, found.slug);
    const destination = fromMailRow(found);
    const mails = isDigest ? [deliveries] : deliveries.map((delivery) => [delivery]);
    for (const mail of mails.filter(({ length }) => length > 0))
      leased.push({
        destination,
        serviceName: found.name,
        confidenceScale: found.confidence_scale,
        deliveries: mail,
      });
  }
  return leased;
}

function* withReports(
  due: readonly DeliveryRow[],
  service: string,
): UnitOfWork<readonly LeasedMailDelivery[]> {
  const leased: LeasedMailDelivery[] = [];
  // An update returns its rows in any order.
  for (const delivery of due.toSorted((a, b) => a.number - b.number)) {
    const { lease, report_id: id } = delivery;
    const report = id === null ? undefined : yield* findReport({ service, id });
    leased.push({ ...fromDeliveryRow(delivery), lease, report });
  }
  return leased;
}
