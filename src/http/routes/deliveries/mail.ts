import { Problem } from '../../../domain/problem.ts';
import {
  listMailDeliveries,
  replayMail,
  showMail,
  testMail,
} from '../../../operations/mail/show-mail.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import type { App } from '../../fastify-types.ts';
import { AccountRate } from '../../gate/account-rates.ts';
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

/** A mail reaches people: a test is for a person who waits for it. */
const TESTS_PER_MINUTE = 1;
const TEST_BURST = 3;

/** Owners see where their reports are mailed to and what became of each mail. */
export function mailRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'GET',
    url,
    config,
    schema: {
      summary: 'Show where new reports are mailed to',
      description: 'null: they are not. An administrator sets the address.',
      operationId: 'showMail',
      tags,
      params: serviceParams,
      response: { 200: mailShown, ...refusals(401, 403, 404, 429) },
    },
    async handler({ caller, service }) {
      const mail = await showMail(deps, caller, service);
      return { mail: mail === undefined ? null : presentMail(mail), successful };
    },
  });

  testRoute(app, deps);

  app.route({
    method: 'GET',
    url: `${url}/deliveries`,
    config,
    schema: {
      summary: 'List the deliveries by mail',
      description:
        'One for each report and each test, newest first. Delivered ones are kept for 3 days, dead ones for 30.',
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

function testRoute(app: App, deps: HttpDependencies): void {
  const rate = new AccountRate(TESTS_PER_MINUTE, TEST_BURST, () => performance.now());
  app.route({
    method: 'POST',
    url: `${url}/test`,
    config: { access: 'owner-or-admin' },
    schema: {
      summary: 'Send a test mail',
      description: `Without a report, to the address of the service. ${TESTS_PER_MINUTE} per minute for an account, ${TEST_BURST} at once.`,
      operationId: 'testMail',
      tags,
      params: serviceParams,
      response: { 202: deliveryQueued, ...refusals(401, 403, 404, 409, 413, 415, 429) },
    },
    async handler({ caller, service }, reply) {
      const { isAllowed, resetMs } = rate.take(caller.accountId);
      if (!isAllowed)
        throw new Problem('rate_limited', {
          parameters: { policy: 'mail-test', limit: TESTS_PER_MINUTE },
          retryAfterSeconds: Math.max(1, Math.ceil(resetMs / 1000)),
        });
      const delivery = await testMail(deps, caller, service);
      return reply.code(202).send({ delivery, successful });
    },
  });
}
