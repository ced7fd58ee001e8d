import { type Caller, ownsFeed } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { Service } from '../../domain/reports/service.ts';
import { formatWebhookSecret, SECRET_BYTES } from '../../domain/webhooks/webhook.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { OutgoingHttp, Sealer } from '../../ports/outgoing.ts';
import type { WebhookKey } from '../../ports/webhook-store.ts';
import type { Dependencies } from '../dependencies.ts';

export interface WebhookDependencies extends Pick<Dependencies, 'store' | 'now' | 'randomBytes'> {
  readonly outgoing: Pick<OutgoingHttp, 'refusal'>;
  readonly sealer: Sealer;
  /** Something waits that is to be sent now. */
  wakeDeliveries(): void;
}

/** Webhooks belong to those who own the feed. An administrator has `/admin/webhooks`. */
export function requireOwner(caller: Caller, service: Service): void {
  if (!ownsFeed(caller, service.slug)) throw new Problem('not_owner');
}

/** One webhook of a feed, for somebody who may see it. */
export function placeOf(caller: Caller, service: Service, id: string): WebhookKey {
  requireOwner(caller, service);
  return { service: service.slug, id };
}

export function actOf(deps: Pick<WebhookDependencies, 'now'>, caller: Caller): AuditContext {
  return { actor: caller.name, at: deps.now() };
}

/** A secret that was just made: its text is shown once, and kept only sealed. */
export function newSecret(
  { randomBytes, sealer }: WebhookDependencies,
  webhookId: string,
): { readonly text: string; readonly sealed: Uint8Array } {
  const secret = randomBytes(SECRET_BYTES);
  return { text: formatWebhookSecret(secret), sealed: sealer.seal(secret, webhookId) };
}
