import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { Service } from '../../domain/services/service.ts';
import type { QueueOutcome } from '../../ports/webhook-store.ts';
import { newId } from '../dependencies.ts';
import { ownedWebhook, type WebhookDependencies } from './webhook-dependencies.ts';

/** Queues a test delivery without a report. Returns its id. */
export async function testWebhook(
  deps: WebhookDependencies,
  caller: Caller,
  service: Service,
  id: string,
): Promise<string> {
  const delivery = newId(deps);
  const webhook = ownedWebhook(caller, service, id);
  refuseUnlessQueued(await deps.store.webhooks.test(webhook, delivery, deps.now()));
  deps.wakeDeliveries();
  return delivery;
}

/** Queues a delivery once more, under the same id and with any outcome. */
export async function replayDelivery(
  deps: WebhookDependencies,
  caller: Caller,
  service: Service,
  { id, delivery }: { readonly id: string; readonly delivery: string },
): Promise<void> {
  const webhook = ownedWebhook(caller, service, id);
  const outcome = await deps.store.webhooks.replay(webhook, delivery, deps.now());
  if (outcome === 'absent-delivery') throw new Problem('unknown_delivery');
  refuseUnlessQueued(outcome);
  deps.wakeDeliveries();
}

function refuseUnlessQueued(outcome: QueueOutcome): void {
  if (outcome === 'absent') throw new Problem('unknown_webhook');
  if (outcome === 'disabled') throw new Problem('webhook_disabled');
  if (outcome === 'suspended') throw new Problem('webhook_suspended');
}
