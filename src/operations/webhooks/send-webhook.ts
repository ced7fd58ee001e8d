import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { Service } from '../../domain/reports/service.ts';
import type { Queued } from '../../ports/webhook-store.ts';
import { newId } from '../dependencies.ts';
import { ownedWebhook, type WebhookDependencies } from './webhook-dependencies.ts';

/** Sends something that means nothing, to see whether it arrives. The id of the delivery. */
export async function testWebhook(
  deps: WebhookDependencies,
  caller: Caller,
  service: Service,
  id: string,
): Promise<string> {
  const delivery = newId(deps);
  const target = ownedWebhook(caller, service, id);
  refuseUnlessQueued(await deps.store.webhooks.test(target, delivery, deps.now()));
  deps.wakeDeliveries();
  return delivery;
}

/** Sends a delivery again, whatever became of it, under the id that it had. */
export async function replayDelivery(
  deps: WebhookDependencies,
  caller: Caller,
  service: Service,
  { id, delivery }: { readonly id: string; readonly delivery: string },
): Promise<void> {
  const target = ownedWebhook(caller, service, id);
  const outcome = await deps.store.webhooks.replay(target, delivery, deps.now());
  if (outcome === 'absent-delivery') throw new Problem('unknown_delivery');
  refuseUnlessQueued(outcome);
  deps.wakeDeliveries();
}

function refuseUnlessQueued(outcome: Queued): void {
  if (outcome === 'absent') throw new Problem('unknown_webhook');
  if (outcome === 'disabled') throw new Problem('webhook_disabled');
  if (outcome === 'suspended') throw new Problem('webhook_suspended');
}
