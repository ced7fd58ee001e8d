import { addWebhook } from '../../../operations/webhooks/add-webhook.ts';
import {
  enableWebhook,
  removeWebhook,
  rotateWebhookSecret,
} from '../../../operations/webhooks/change-webhook.ts';
import { replayDelivery, testWebhook } from '../../../operations/webhooks/queue-delivery.ts';
import {
  listDeliveries,
  listWebhooks,
  showWebhook,
} from '../../../operations/webhooks/show-webhooks.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import type { App } from '../../fastify-types.ts';
import { serviceParams } from '../../requests/parameters.ts';
import {
  DEFAULT_DELIVERIES,
  deliveriesQuery,
  deliveryParams,
  webhookBody,
  webhookParams,
} from '../../requests/webhook-fields.ts';
import { presentDelivery, presentWebhook } from '../../responses/deliveries/present-webhook.ts';
import {
  deliveryList,
  deliveryQueued,
  webhookAdded,
  webhookList,
  webhookResponse,
  webhookRotated,
} from '../../responses/deliveries/webhook-schemas.ts';
import { formatUtc } from '../../responses/present.ts';
import { done, refusals } from '../../responses/schemas.ts';

const all = '/feed/:service/webhooks';
const one = `${all}/:id`;
const tags = ['Webhooks'];
const config = { access: 'owner' } as const;
const successful = true as const;

export function webhookRoutes(app: App, deps: HttpDependencies): void {
  webhooksOfFeed(app, deps);
  oneWebhook(app, deps);
  deliveriesOfWebhook(app, deps);
}

function webhooksOfFeed(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'POST',
    url: all,
    config,
    schema: {
      summary: 'Add a webhook',
      description:
        'Future changes of the feed are sent to its URL, signed according to Standard Webhooks.',
      operationId: 'addWebhook',
      tags,
      params: serviceParams,
      body: webhookBody,
      response: { 201: webhookAdded, ...refusals(400, 401, 403, 404, 409, 413, 415, 429) },
    },
    async handler({ caller, service, body }, reply) {
      const { webhook, secret } = await addWebhook(deps, caller, service, body);
      return reply
        .code(201)
        .send({ webhook: presentWebhook(webhook, deps.now()), secret, successful });
    },
  });

  app.route({
    method: 'GET',
    url: all,
    config,
    schema: {
      summary: 'List the webhooks of a feed',
      operationId: 'listWebhooks',
      tags,
      params: serviceParams,
      response: { 200: webhookList, ...refusals(401, 403, 404, 429) },
    },
    async handler({ caller, service }) {
      const webhooks = await listWebhooks(deps, caller, service);
      return { webhooks: webhooks.map((one) => presentWebhook(one, deps.now())), successful };
    },
  });
}

function oneWebhook(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'GET',
    url: one,
    config,
    schema: {
      summary: 'Show a webhook',
      operationId: 'showWebhook',
      tags,
      params: webhookParams,
      response: { 200: webhookResponse, ...refusals(400, 401, 403, 404, 429) },
    },
    async handler({ caller, service, params }) {
      const webhook = await showWebhook(deps, caller, service, params.id);
      return { webhook: presentWebhook(webhook, deps.now()), successful };
    },
  });

  app.route({
    method: 'DELETE',
    url: one,
    config,
    schema: {
      summary: 'Delete a webhook',
      description: 'Its pending deliveries are not sent any more.',
      operationId: 'deleteWebhook',
      tags,
      params: webhookParams,
      response: { 200: done, ...refusals(400, 401, 403, 404, 429) },
    },
    async handler({ caller, service, params }) {
      await removeWebhook(deps, caller, service, params.id);
      return { message: `Webhook ${params.id} was deleted.`, successful };
    },
  });

  app.route({
    method: 'POST',
    url: `${one}/rotate`,
    config,
    schema: {
      summary: 'Give a webhook a new secret',
      description: 'For 24 hours deliveries are signed with both secrets.',
      operationId: 'rotateWebhook',
      tags,
      params: webhookParams,
      response: { 200: webhookRotated, ...refusals(400, 401, 403, 404, 413, 415, 429) },
    },
    async handler({ caller, service, params }) {
      const rotated = await rotateWebhookSecret(deps, caller, service, params.id);
      const { webhook, secret, oldValidUntil } = rotated;
      return {
        webhook: presentWebhook(webhook, deps.now()),
        secret,
        oldValidUntil: formatUtc(oldValidUntil),
        successful,
      };
    },
  });

  app.route({
    method: 'POST',
    url: `${one}/enable`,
    config,
    schema: {
      summary: 'Enable a webhook that was disabled',
      description:
        'Deliveries that were pending are sent; changes that happened while it was disabled are not.',
      operationId: 'enableWebhook',
      tags,
      params: webhookParams,
      response: { 200: webhookResponse, ...refusals(400, 401, 403, 404, 413, 415, 429) },
    },
    async handler({ caller, service, params }) {
      const webhook = await enableWebhook(deps, caller, service, params.id);
      return { webhook: presentWebhook(webhook, deps.now()), successful };
    },
  });
}

function deliveriesOfWebhook(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'POST',
    url: `${one}/test`,
    config,
    schema: {
      summary: 'Send a test to a webhook',
      description: 'Sends the event `webhook.test`. The log of deliveries shows the result.',
      operationId: 'testWebhook',
      tags,
      params: webhookParams,
      response: { 202: deliveryQueued, ...refusals(400, 401, 403, 404, 409, 413, 415, 429) },
    },
    async handler({ caller, service, params }, reply) {
      const delivery = await testWebhook(deps, caller, service, params.id);
      return reply.code(202).send({ delivery, successful });
    },
  });

  app.route({
    method: 'GET',
    url: `${one}/deliveries`,
    config,
    schema: {
      summary: 'List the deliveries of a webhook',
      description: 'Newest first. Delivered ones are kept for 3 days, dead ones for 30.',
      operationId: 'listDeliveries',
      tags,
      params: webhookParams,
      querystring: deliveriesQuery,
      response: { 200: deliveryList, ...refusals(400, 401, 403, 404, 429) },
    },
    async handler({ caller, service, params, query }) {
      const { state, before, limit = DEFAULT_DELIVERIES } = query;
      const page = { id: params.id, state, before, limit };
      const { deliveries, hasMore } = await listDeliveries(deps, caller, service, page);
      return { deliveries: deliveries.map(presentDelivery), hasMore, successful };
    },
  });

  app.route({
    method: 'POST',
    url: `${one}/deliveries/:delivery/replay`,
    config,
    schema: {
      summary: 'Send a delivery again',
      description: 'In any state, with the same `webhook-id`.',
      operationId: 'replayDelivery',
      tags,
      params: deliveryParams,
      response: { 202: deliveryQueued, ...refusals(400, 401, 403, 404, 409, 413, 415, 429) },
    },
    async handler({ caller, service, params }, reply) {
      await replayDelivery(deps, caller, service, params);
      return reply.code(202).send({ delivery: params.delivery, successful });
    },
  });
}
