import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { Service } from '../../domain/services/service.ts';
import type { Delivery, DeliveryPage } from '../../ports/deliveries.ts';
import type { Webhook } from '../../ports/webhook-store.ts';
import { requireOwner } from '../permission.ts';
import { ownedWebhook, type WebhookDependencies } from './webhook-dependencies.ts';

export async function listWebhooks(
  deps: WebhookDependencies,
  caller: Caller,
  service: Service,
): Promise<readonly Webhook[]> {
  requireOwner(caller, service);
  return deps.store.webhooks.list(service.slug);
}

export async function showWebhook(
  deps: WebhookDependencies,
  caller: Caller,
  service: Service,
  id: string,
): Promise<Webhook> {
  const webhook = await deps.store.webhooks.find(ownedWebhook(caller, service, id));
  if (webhook === undefined) throw new Problem('unknown_webhook');
  return webhook;
}

/** Lists delivered, pending and failed deliveries, newest first. */
export async function listDeliveries(
  deps: WebhookDependencies,
  caller: Caller,
  service: Service,
  { id, ...page }: DeliveryPage & { readonly id: string },
): Promise<{ readonly deliveries: readonly Delivery[]; readonly hasMore: boolean }> {
  const target = ownedWebhook(caller, service, id);
  // The extra row shows whether there are more.
  const found = await deps.store.webhooks.deliveries(target, { ...page, limit: page.limit + 1 });
  if (found === 'absent') throw new Problem('unknown_webhook');
  return { deliveries: found.slice(0, page.limit), hasMore: found.length > page.limit };
}
