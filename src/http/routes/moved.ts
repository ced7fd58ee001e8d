import type { FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';

/**
 * The paths and parameters of the last version, until 0.2.0. This file and its uses are removed
 * then. `DEPRECATIONS.md` lists them.
 */

type Method = 'GET' | 'POST';

interface MovedRoute {
  readonly method: Method;
  readonly from: string;
  readonly to: string;
}

export const MOVED_ROUTES: readonly MovedRoute[] = [
  { method: 'GET', from: '/search', to: '/api/search' },
  { method: 'GET', from: '/services', to: '/api/services' },
  { method: 'GET', from: '/route', to: '/api/route' },
  { method: 'GET', from: '/proposals', to: '/api/proposals' },
  { method: 'POST', from: '/proposals/:id/report', to: '/api/proposals/:id/report' },
  { method: 'POST', from: '/proposals/:id/dismiss', to: '/api/proposals/:id/dismiss' },
  { method: 'GET', from: '/stats/reporters/:name', to: '/api/statistics/reporters/:name' },
  { method: 'GET', from: '/stats/services/:service', to: '/api/statistics/services/:service' },
];

/** Answers itself, because connectors do not follow a redirect of a POST. */
export const OLD_THREATFOX_URL = '/api/v1/';

const OLD_PARAMETERS: ReadonlyMap<string, string> = new Map([['lastEventId', 'last_event_id']]);

/**
 * Redirects with 308, which keeps the method and the body. The location is on the host that the
 * client has called, because clients send no token to another one.
 */
export function movedRoutes(app: App, deps: Pick<HttpDependencies, 'baseUrl'>): void {
  for (const { method, from, to } of MOVED_ROUTES)
    app.route({
      method,
      url: from,
      config: { access: 'public' },
      schema: { hide: true },
      // Before the body is read.
      onRequest: async (request, reply) => {
        const path = new URL(deps.baseUrl()).pathname.replace(/\/$/, '') + locationOf(request, to);
        reply.header('location', path);
        throw new Problem('moved', { parameters: { path: pathOf(path) } });
      },
      handler: async () => undefined,
    });
}

function locationOf({ params, url }: FastifyRequest, template: string): string {
  const values = params as Readonly<Record<string, string>>;
  const path = template.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
  return path + url.slice(pathOf(url).length);
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

/** Gives the parameters of a query their new names. */
export async function renameParameters(request: FastifyRequest): Promise<void> {
  const query = Object.entries(request.query as Readonly<Record<string, unknown>>);
  request.query = Object.fromEntries(
    query.map(([name, value]) => [OLD_PARAMETERS.get(name) ?? name, value]),
  );
}
