import { showRoute } from '../../operations/contacts/show-route.ts';
import { showC2 } from '../../operations/reports/show-c2.ts';
import { showRelated } from '../../operations/reports/show-related.ts';
import { pageServices } from '../../operations/services/page-services.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { c2Query, hostQuery, routeQuery } from '../requests/c2-query.ts';
import { cursorQuery, DEFAULT_PAGE_SIZE } from '../requests/feed-query.ts';
import { servicePage } from '../responses/account-schemas.ts';
import { c2Shown, hostShown, routeFound } from '../responses/c2-schemas.ts';
import { presentCountedService } from '../responses/present.ts';
import { presentC2, presentHost, presentRoute } from '../responses/present-c2.ts';
import { presentRelated } from '../responses/present-related.ts';
import { related } from '../responses/related-schemas.ts';
import { refusals } from '../responses/schemas.ts';

const tags = ['Feeds'];

/** The services, which of them answers for an address, and what is known of the address. */
export function serviceRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'GET',
    url: '/api/services',
    config: { access: 'token' },
    schema: {
      summary: 'List the services with their hosts and networks',
      description:
        'By slug, each with the number of its open reports. Spends no quota. A page with very many hosts and networks may be short although `hasMore` is true.',
      operationId: 'services',
      tags,
      querystring: cursorQuery,
      response: { 200: servicePage, ...refusals(400, 401, 429) },
    },
    async handler({ query: { cursor, limit = DEFAULT_PAGE_SIZE } }) {
      const { services, nextCursor } = await pageServices(deps, { cursor, limit });
      return {
        services: services.map(presentCountedService),
        nextCursor: nextCursor ?? null,
        hasMore: nextCursor !== undefined,
        successful: true as const,
      };
    },
  });

  app.route({
    method: 'GET',
    url: '/api/route',
    config: { access: 'token' },
    schema: {
      summary: 'Find the service that answers for a C2',
      description:
        'By the hosts and networks that services declare; the most specific one wins: the host itself, then the longest wildcard, or the longest network prefix. If several services declare the same, one that has proven its ownership wins, then the first slug. Public suffixes route nothing. `feed` is where to report it: `unclaimed` if no service has declared it. `contacts` says who answers for the host, whether or not it has a feed here: the service, then the provider that the directory knows. Of an address also the autonomous system and the country, if the server has tables of them.',
      operationId: 'route',
      tags,
      querystring: routeQuery,
      response: { 200: routeFound, ...refusals(400, 401, 429) },
    },
    handler: async ({ query: { c2 } }) =>
      presentRoute(c2, await showRoute(deps, c2.host), deps.knownLists()),
  });

  app.route({
    method: 'GET',
    url: '/api/c2',
    config: { access: 'token', endsWithPermission: 'response' },
    schema: {
      summary: 'Show what is known of a C2',
      description:
        'Its reports over all feeds, the files whose configuration names it, and the service that answers for it. Spends no quota: of a file it returns what a search does.',
      operationId: 'showAddress',
      tags,
      querystring: c2Query,
      response: { 200: c2Shown, ...refusals(400, 401, 429) },
    },
    handler: async ({ caller, query: { c2 } }) =>
      presentC2(c2, await showC2(deps, c2), { viewer: caller, lists: deps.knownLists() }),
  });

  app.route({
    method: 'GET',
    url: '/api/hosts',
    config: { access: 'token', endsWithPermission: 'response' },
    schema: {
      summary: 'Show what is known of a host',
      description: 'Like a C2, over all ports of the host.',
      operationId: 'showHost',
      tags,
      querystring: hostQuery,
      response: { 200: hostShown, ...refusals(400, 401, 429) },
    },
    handler: async ({ caller, query: { host } }) =>
      presentHost(host, await showC2(deps, { host }), { viewer: caller, lists: deps.knownLists() }),
  });

  app.route({
    method: 'GET',
    url: '/api/related',
    config: { access: 'token' },
    schema: {
      summary: 'Show what belongs to a C2 or a host',
      description:
        'The files whose settings name it, the other C2s of the same settings, the other C2s of the same host, and the names below it. Every list is bounded and says whether there may be more. Spends no quota.',
      operationId: 'showRelated',
      tags,
      querystring: routeQuery,
      response: { 200: related, ...refusals(400, 401, 429) },
    },
    handler: async ({ query: { c2 } }) => presentRelated(c2, await showRelated(deps, c2)),
  });
}
