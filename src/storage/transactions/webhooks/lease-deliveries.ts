import type { Change } from '../../../domain/reports/change.ts';
import type { DeliveryLeaseRequest, LeasedDelivery } from '../../../ports/webhook-store.ts';
import type { DeliveryRow } from '../../schema/tables.ts';
import {
  leaseFrom,
  leaseOfWebhook,
  selectReadyWebhooks,
} from '../../tables/deliveries/delivery-leases.ts';
import { fromDeliveryRow } from '../../tables/deliveries/delivery-rows.ts';
import { reportsById } from '../../tables/reports/serialized-reports.ts';
import { selectSecrets, selectWebhook } from '../../tables/webhooks/leased-webhooks.ts';
import { fromWebhookRow } from '../../tables/webhooks/webhook-rows.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

export function* leaseDeliveries(
  request: DeliveryLeaseRequest,
): UnitOfWork<readonly LeasedDelivery[]> {
  const { perWebhook, limit, keyId } = request;
  const lease = leaseFrom(request);
  const { now } = lease;
  const leased: LeasedDelivery[] = [];
  const ready = { now, perDestination: perWebhook, limit, keyId };
  for (const { id, busy } of yield* rows(selectReadyWebhooks, ready)) {
    const free = Math.min(perWebhook - (busy ?? 0), limit - leased.length);
    if (free <= 0) break;
    const due = yield* rows(leaseOfWebhook, { ...lease, webhookId: id, limit: free });
    leased.push(...(yield* withSubjects(id, due, now)));
  }
  return leased;
}

/** Adds the webhook, its secrets and the changes to the deliveries of one webhook. */
function* withSubjects(
  webhookId: string,
  due: readonly DeliveryRow[],
  now: string,
): UnitOfWork<readonly LeasedDelivery[]> {
  const found = yield* row(selectWebhook, { id: webhookId });
  if (found === undefined) throw new Error('the webhook of a delivery does not exist');
  const webhook = fromWebhookRow(found);
  const secrets = (yield* rows(selectSecrets, { webhookId, now }))
    .toSorted((a, b) => b.number - a.number)
    .map(({ sealed }) => sealed);
  const leased: LeasedDelivery[] = [];
  // An update returns its rows in any order.
  for (const delivery of [...due].sort((a, b) => a.number - b.number)) {
    const change = yield* changeOf(delivery, webhook.service);
    const { lease } = delivery;
    leased.push({ ...fromDeliveryRow(delivery), lease, webhook, secrets, change });
  }
  return leased;
}

function* changeOf(delivery: DeliveryRow, service: string): UnitOfWork<Change | undefined> {
  const { sequence, report_id: reportId, event, created_at } = delivery;
  if (reportId === null) return undefined;
  return {
    service,
    sequence,
    // An event about a report is `report.` and the type of the change.
    type: event.slice('report.'.length) as Change['type'],
    reportId,
    at: new Date(created_at),
    report: (yield* reportsById([reportId])).get(reportId),
  };
}
