import type { Caller } from '../../domain/accounts/caller.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import type { Service } from '../../domain/services/service.ts';
import {
  MAX_WEBHOOKS,
  WEBHOOK_EVENTS,
  type WebhookEvent,
  type WebhookFormat,
} from '../../domain/webhooks/webhook.ts';
import type { Webhook } from '../../ports/webhook-store.ts';
import { newId } from '../dependencies.ts';
import { requireOwner } from '../permission.ts';
import { auditContextOf, newSecret, type WebhookDependencies } from './webhook-dependencies.ts';

export interface WebhookRequest {
  readonly url: string;
  readonly events?: readonly WebhookEvent[] | undefined;
  readonly format?: WebhookFormat | undefined;
}

/** Sends future changes of the feed to a URL. */
export async function addWebhook(
  deps: WebhookDependencies,
  caller: Caller,
  service: Service,
  request: WebhookRequest,
): Promise<{ readonly webhook: Webhook; readonly secret: string }> {
  requireOwner(caller, service);
  const refusal = deps.outgoing.refusal(request.url);
  if (refusal !== undefined) throw invalid('invalid_body', [`url ${refusal}.`]);
  const audit = auditContextOf(deps, caller);
  const webhook: Webhook = {
    id: newId(deps),
    service: service.slug,
    url: request.url,
    events: WEBHOOK_EVENTS.filter((event) => request.events?.includes(event) ?? true),
    format: request.format ?? 'standard',
    createdBy: caller.name,
    createdAt: audit.at,
    owner: {
      accountId: caller.accountId,
      name: caller.name,
      disabled: false,
      expiresAt: undefined,
      ownsFeed: true,
    },
    disabledAt: undefined,
    disabledReason: undefined,
    failingSince: undefined,
  };
  const secret = newSecret(deps, webhook.id);
  const outcome = await deps.store.webhooks.add(webhook, secret.sealed, audit);
  if (outcome === 'unknown-service') throw new Problem('unknown_service');
  if (outcome === 'too-many')
    throw new Problem('too_many_webhooks', { parameters: { limit: MAX_WEBHOOKS } });
  return { webhook, secret: secret.text };
}
