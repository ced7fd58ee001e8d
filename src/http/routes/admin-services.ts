import type { Service } from '../../domain/services/service.ts';
import { mailOfService, mailOfServices } from '../../operations/mail/show-mail.ts';
import { withVerifiedHostsOf } from '../../operations/ownership/verified-hosts.ts';
import { addService } from '../../operations/services/add-service.ts';
import { changeService } from '../../operations/services/change-service.ts';
import { listOverlaps } from '../../operations/services/list-overlaps.ts';
import { readServices } from '../../operations/services/list-services.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { takeForParts } from '../gate/request-memory.ts';
import { serviceBody, serviceChanges } from '../requests/admin-fields.ts';
import { cursorQuery, DEFAULT_PAGE_SIZE } from '../requests/feed-query.ts';
import { slugParams } from '../requests/parameters.ts';
import { serviceList, serviceResponse } from '../responses/account-schemas.ts';
import { overlapPage } from '../responses/c2-schemas.ts';
import { presentMailSettings } from '../responses/deliveries/present-mail.ts';
import { presentService } from '../responses/present.ts';
import { presentOverlap } from '../responses/present-c2.ts';
import { refusals } from '../responses/schemas.ts';
import { sendStream } from '../responses/send-response.ts';

const tags = ['Administration'];
const JSON_TYPE = 'application/json; charset=utf-8';
/** The services of a part, and its text and bytes. */
const PART_BYTES = 512 * 1024;

export function adminServiceRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'POST',
    url: '/admin/services',
    config: { access: 'admin' },
    schema: {
      summary: 'Add a service and its feed',
      operationId: 'addService',
      tags,
      body: serviceBody,
      response: { 201: serviceResponse, ...refusals(400, 401, 403, 409, 413, 415, 429) },
    },
    async handler({ caller, body }, reply) {
      const added = await addService(deps, { actor: caller.name, at: deps.now() }, body);
      return reply.code(201).send({ service: await administered(deps, added) });
    },
  });

  app.route({
    method: 'GET',
    url: '/admin/services',
    config: { access: 'admin', endsWithPermission: 'response' },
    schema: {
      summary: 'List the services',
      operationId: 'listServices',
      tags,
      response: { 200: serviceList, ...refusals(401, 403, 429) },
    },
    async handler(_, reply) {
      takeForParts(reply, PART_BYTES);
      return await sendStream(reply, JSON_TYPE, administeredServices(deps));
    },
  });

  app.route({
    method: 'PATCH',
    url: '/admin/services/:slug',
    config: { access: 'admin' },
    schema: {
      summary: 'Change a service',
      operationId: 'changeService',
      tags,
      params: slugParams,
      body: serviceChanges,
      response: { 200: serviceResponse, ...refusals(400, 401, 403, 404, 409, 413, 415, 429) },
    },
    async handler({ caller, params, body }) {
      const changed = await changeService(
        deps,
        { actor: caller.name, at: deps.now() },
        params.slug,
        body,
      );
      return { service: await administered(deps, changed) };
    },
  });

  app.route({
    method: 'GET',
    url: '/admin/overlaps',
    config: { access: 'admin' },
    schema: {
      summary: 'List hosts and networks that several services declare',
      description:
        'Each pattern that is inside a pattern of another service or equal to one, with the most specific such pattern. By reversed name, networks first. A page may be short or empty although `hasMore` is true: it examines at most 2,000 patterns.',
      operationId: 'listOverlaps',
      tags,
      querystring: cursorQuery,
      response: { 200: overlapPage, ...refusals(400, 401, 403, 429) },
    },
    async handler({ query: { cursor, limit = DEFAULT_PAGE_SIZE } }) {
      const { overlaps, nextCursor } = await listOverlaps(deps, { cursor, limit });
      return {
        overlaps: overlaps.map(presentOverlap),
        nextCursor: nextCursor ?? null,
        hasMore: nextCursor !== undefined,
        successful: true as const,
      };
    },
  });
}

async function administered(deps: HttpDependencies, service: Service) {
  const mail = presentMailSettings(await mailOfService(deps, service.slug));
  return { ...presentService(await withVerifiedHostsOf(deps, service)), mail };
}

/** As JSON, in parts. */
async function* administeredServices(deps: HttpDependencies): AsyncGenerator<string, void> {
  const mails = await mailOfServices(deps);
  let separator = '{"services":[';
  for await (const services of readServices(deps))
    for (const service of services) {
      const mail = presentMailSettings(mails.get(service.slug));
      yield separator + JSON.stringify({ ...presentService(service), mail });
      separator = ',';
    }
  yield `${separator === ',' ? '' : separator}]}`;
}
