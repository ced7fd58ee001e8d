import type { AttemptOutcome } from '../../../domain/deliveries/retries.ts';
import type { LeasedDelivery } from '../../../ports/webhook-store.ts';
import { countEnabled } from '../../tables/deliveries/destinations.ts';
import { settleDelivery } from '../../tables/deliveries/settled-deliveries.ts';
import { markDisabled } from '../../tables/webhooks/webhooks.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockFeeds } from '../../units/locks.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/** Records the outcome of an attempt. `false` if the lease was lost. */
export function* settleWebhookDelivery(
  leased: LeasedDelivery,
  outcome: AttemptOutcome,
): UnitOfWork<boolean> {
  const reason = outcome.kind === 'dead' ? outcome.disable : undefined;
  if (outcome.kind !== 'dead' || reason === undefined)
    return yield* settleDelivery(leased, outcome);
  // Locks are taken in the same order everywhere: the feed first. No webhook is added to it
  // while its webhooks are counted.
  yield* lockFeeds([leased.webhook.service]);
  const isSettled = yield* settleDelivery(leased, outcome);
  if (isSettled) yield* disableWebhook(leased.webhookId, outcome.at, reason);
  return isSettled;
}

/** Disables a webhook whose deliveries keep failing. Owners remove theirs instead. */
function* disableWebhook(id: string, at: Date, reason: string): UnitOfWork<void> {
  const disabled = yield* row(markDisabled, { id, at: at.toISOString(), reason });
  if (disabled === undefined) return;
  yield* rows(countEnabled, { serviceId: disabled.service_id });
  yield* writeAudit({ actor: 'rapsheet', at }, 'webhook.disable', id, { reason });
}
