import type { Caller } from '../../domain/accounts/caller.ts';
import type { Service } from '../../domain/services/service.ts';
import { formatWebhookSecret, SECRET_BYTES } from '../../domain/webhooks/webhook.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { OutgoingHttp, SealedSecret, Sealer } from '../../ports/outgoing.ts';
import type { WebhookKey } from '../../ports/webhook-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { requireOwner } from '../permission.ts';

export interface WebhookDependencies extends Pick<Dependencies, 'store' | 'now' | 'randomBytes'> {
  readonly outgoing: Pick<OutgoingHttp, 'refusal'>;
  readonly sealer: Sealer;
  /** Wakes the runner: a delivery is due. */
  wakeDeliveries(): void;
}

/** The key of a webhook, for an owner of its feed. An administrator uses `/admin/webhooks`. */
export function ownedWebhook(caller: Caller, service: Service, id: string): WebhookKey {
  requireOwner(caller, service);
  return { service: service.slug, id };
}

export function auditContextOf(
  deps: Pick<WebhookDependencies, 'now'>,
  caller: Caller,
): AuditContext {
  return { actor: caller.name, at: deps.now() };
}

/** Creates a secret. Its text is shown once; only the encrypted form is stored. */
export function newSecret(
  { randomBytes, sealer }: WebhookDependencies,
  webhookId: string,
): { readonly text: string; readonly sealed: SealedSecret } {
  const secret = randomBytes(SECRET_BYTES);
  return { text: formatWebhookSecret(secret), sealed: sealer.seal(secret, webhookId) };
}
