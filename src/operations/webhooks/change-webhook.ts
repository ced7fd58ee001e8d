import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { Service } from '../../domain/services/service.ts';
import { ROTATION_GRACE_MS } from '../../domain/webhooks/webhook.ts';
import type { Webhook } from '../../ports/webhook-store.ts';
import {
  auditContextOf,
  newSecret,
  ownedWebhook,
  type WebhookDependencies,
} from './webhook-dependencies.ts';

/** Deletes a webhook. Its pending deliveries are not sent. */
export async function removeWebhook(
  deps: WebhookDependencies,
  caller: Caller,
  service: Service,
  id: string,
): Promise<void> {
  const target = ownedWebhook(caller, service, id);
  const outcome = await deps.store.webhooks.remove(target, auditContextOf(deps, caller));
  if (outcome === 'absent') throw new Problem('unknown_webhook');
}

export interface Rotated {
  readonly webhook: Webhook;
  readonly secret: string;
  /** Until then deliveries are signed with both secrets. */
  readonly oldValidUntil: Date;
}

/** Creates a new secret. The old one keeps signing for a while, so that receivers can switch. */
export async function rotateWebhookSecret(
  deps: WebhookDependencies,
  caller: Caller,
  service: Service,
  id: string,
): Promise<Rotated> {
  const target = ownedWebhook(caller, service, id);
  const audit = auditContextOf(deps, caller);
  const { text, sealed } = newSecret(deps, id);
  const oldValidUntil = new Date(audit.at.getTime() + ROTATION_GRACE_MS);
  const webhook = await deps.store.webhooks.rotate(target, sealed, oldValidUntil, audit);
  if (webhook === 'absent') throw new Problem('unknown_webhook');
  return { webhook, secret: text, oldValidUntil };
}

/** Enables a disabled webhook. Its pending deliveries are sent. */
export async function enableWebhook(
  deps: WebhookDependencies,
  caller: Caller,
  service: Service,
  id: string,
): Promise<Webhook> {
  const target = ownedWebhook(caller, service, id);
  const webhook = await deps.store.webhooks.enable(target, auditContextOf(deps, caller));
  if (webhook === 'absent') throw new Problem('unknown_webhook');
  if (webhook === 'forbidden') throw new Problem('webhook_blocked');
  deps.wakeDeliveries();
  return webhook;
}
