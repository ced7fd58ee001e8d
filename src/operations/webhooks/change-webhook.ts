import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { Service } from '../../domain/reports/service.ts';
import { ROTATION_GRACE_MS } from '../../domain/webhooks/webhook.ts';
import type { Webhook } from '../../ports/webhook-store.ts';
import { actOf, newSecret, placeOf, type WebhookDependencies } from './webhook-dependencies.ts';

/** Whatever waits for it is not sent any more. */
export async function removeWebhook(
  deps: WebhookDependencies,
  caller: Caller,
  service: Service,
  id: string,
): Promise<void> {
  const place = placeOf(caller, service, id);
  const outcome = await deps.store.webhooks.remove(place, actOf(deps, caller));
  if (outcome === 'absent') throw new Problem('unknown_webhook');
}

export interface Rotated {
  readonly webhook: Webhook;
  readonly secret: string;
  /** Until then deliveries are signed with the old secret too. */
  readonly oldValidUntil: Date;
}

/** Gives it a new secret; the old one signs beside it for a while, so that receivers can change over. */
export async function rotateWebhookSecret(
  deps: WebhookDependencies,
  caller: Caller,
  service: Service,
  id: string,
): Promise<Rotated> {
  const place = placeOf(caller, service, id);
  const audit = actOf(deps, caller);
  const { text, sealed } = newSecret(deps, id);
  const oldValidUntil = new Date(audit.at.getTime() + ROTATION_GRACE_MS);
  const webhook = await deps.store.webhooks.rotate(place, sealed, oldValidUntil, audit);
  if (webhook === 'absent') throw new Problem('unknown_webhook');
  return { webhook, secret: text, oldValidUntil };
}

/** After it was disabled: it is told of changes again, and gets what still waited for it. */
export async function enableWebhook(
  deps: WebhookDependencies,
  caller: Caller,
  service: Service,
  id: string,
): Promise<Webhook> {
  const place = placeOf(caller, service, id);
  const webhook = await deps.store.webhooks.enable(place, actOf(deps, caller));
  if (webhook === 'absent') throw new Problem('unknown_webhook');
  if (webhook === 'forbidden') throw new Problem('webhook_blocked');
  deps.wakeDeliveries();
  return webhook;
}
