import { invalid } from '../../../domain/problem.ts';
import {
  administerWebhook,
  listAllWebhooks,
} from '../../../operations/webhooks/administer-webhooks.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import type { App } from '../../fastify-types.ts';
import {
  allWebhooksQuery,
  DEFAULT_WEBHOOKS,
  webhookChanges,
  webhookIdParams,
} from '../../requests/webhook-fields.ts';
import { presentWebhook } from '../../responses/deliveries/present-webhook.ts';
import { webhookPage, webhookResponse } from '../../responses/deliveries/webhook-schemas.ts';
import { refusals } from '../../responses/schemas.ts';

const tags = ['Administration'];
const successful = true as const;

/** Administrators manage the webhooks of all feeds, including those whose owner has left. */
export function adminWebhookRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'GET',
    url: '/admin/webhooks',
    config: { access: 'admin' },
    schema: {
      summary: 'List the webhooks of all feeds',
      description: 'By id. The next page begins `after` the last id of this one.',
      operationId: 'listAllWebhooks',
      tags,
      querystring: allWebhooksQuery,
      response: { 200: webhookPage, ...refusals(400, 401, 403, 404, 429) },
    },
    async handler({ query }) {
      const { limit = DEFAULT_WEBHOOKS, ...filter } = query;
      const { webhooks, hasMore } = await listAllWebhooks(deps, { ...filter, limit });
      const now = deps.now();
      return { webhooks: webhooks.map((one) => presentWebhook(one, now)), hasMore, successful };
    },
  });

  app.route({
    method: 'PATCH',
    url: '/admin/webhooks/:id',
    config: { access: 'admin' },
    schema: {
      summary: 'Disable, enable or hand over a webhook',
      operationId: 'changeWebhook',
      tags,
      params: webhookIdParams,
      body: webhookChanges,
      response: { 200: webhookResponse, ...refusals(400, 401, 403, 404, 413, 415, 429) },
    },
    async handler({ caller, params, body }) {
      if (body.disabled === undefined && body.owner === undefined)
        throw invalid('invalid_body', ['The body must have disabled, owner or both.']);
      const audit = { actor: caller.name, at: deps.now() };
      const webhook = await administerWebhook(deps, audit, params.id, body);
      return { webhook: presentWebhook(webhook, deps.now()), successful };
    },
  });
}
