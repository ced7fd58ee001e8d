import { listMailDeliveries, replayMail, showMail } from '../../../operations/mail/show-mail.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import type { App } from '../../fastify-types.ts';
import { mailDeliveryParams } from '../../requests/mail-fields.ts';
import { serviceParams } from '../../requests/parameters.ts';
import { DEFAULT_DELIVERIES, deliveriesQuery } from '../../requests/webhook-fields.ts';
import { mailDeliveryList, mailShown } from '../../responses/deliveries/mail-schemas.ts';
import { presentMail, presentMailDelivery } from '../../responses/deliveries/present-mail.ts';
import { deliveryQueued } from '../../responses/deliveries/webhook-schemas.ts';
import { refusals } from '../../responses/schemas.ts';

const url = '/feed/:service/mail';
const tags = ['Mail'];
const config = { access: 'owner' } as const;
const successful = true as const;

/** Owners see where their reports are mailed to and what became of each mail. */
export function mailRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'GET',
    url,
    config,
    schema: {
      summary: 'Show where new reports are mailed to',
      description: 'An administrator sets the address.',
      operationId: 'showMail',
      tags,
      params: serviceParams,
      response: { 200: mailShown, ...refusals(401, 403, 404, 429) },
    },
    handler: async ({ caller, service }) => ({
      mail: presentMail(await showMail(deps, caller, service)),
      successful,
    }),
  });

  app.route({
    method: 'GET',
    url: `${url}/deliveries`,
    config,
    schema: {
      summary: 'List the deliveries by mail',
      description:
        'One for each report, newest first. Delivered ones are kept for 3 days, dead ones for 30.',
      operationId: 'listMailDeliveries',
      tags,
      params: serviceParams,
      querystring: deliveriesQuery,
      response: { 200: mailDeliveryList, ...refusals(400, 401, 403, 404, 429) },
    },
    async handler({ caller, service, query }) {
      const { state, before, limit = DEFAULT_DELIVERIES } = query;
      const page = { state, before, limit };
      const { deliveries, hasMore } = await listMailDeliveries(deps, caller, service, page);
      return { deliveries: deliveries.map(presentMailDelivery), hasMore, successful };
    },
  });

  app.route({
    method: 'POST',
    url: `${url}/deliveries/:delivery/replay`,
    config,
    schema: {
      summary: 'Mail a report again',
      description: 'In any state, with the same `Message-ID` unless it is part of a digest.',
      operationId: 'replayMail',
      tags,
      params: mailDeliveryParams,
      response: { 202: deliveryQueued, ...refusals(400, 401, 403, 404, 413, 415, 429) },
    },
    async handler({ caller, service, params }, reply) {
      await replayMail(deps, caller, service, params.delivery);
      return reply.code(202).send({ delivery: params.delivery, successful });
    },
  });
}
