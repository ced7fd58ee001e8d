import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { type Caller, hasRole } from '../domain/caller.ts';
import { Problem } from '../domain/problem.ts';
import { parseServiceSlug, type Service } from '../domain/service.ts';
import { authenticate } from './authenticate.ts';
import type { HttpDependencies } from './dependencies.ts';

/** Who may call a route: anybody, any live account, or one with that role. */
export type Access = 'public' | 'token' | 'researcher' | 'admin';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** The content type it takes, where that is not JSON. */
    takes?: string;
  }
  interface FastifyRequest {
    /** Set before the handler of every route that is not public. */
    caller: Caller;
    /** Set before the handler of every route whose address names a service. */
    service: Service;
  }
}

/**
 * Puts the gate in front of every route: token, role and service are checked before a body is read. A
 * route that does not say who may call it stops the server from starting.
 */
export function guardRoutes(app: FastifyInstance, deps: HttpDependencies): void {
  const routes: RouteOptions[] = [];
  app.decorateRequest('caller');
  app.decorateRequest('service');
  app.addHook('onRoute', (route) => {
    routes.push(route);
    const access = route.config?.access;
    if (access === undefined || access === 'public') return;
    route.onRequest = [
      gate(deps, access, route.url.includes('/:service/')),
      ...[route.onRequest ?? []].flat(),
    ];
  });
  app.addHook('onReady', async () => {
    const open = routes.find((route) => route.config?.access === undefined);
    if (open !== undefined)
      throw new Error(`the route ${open.method} ${open.url} does not say who may call it`);
  });
}

function gate(deps: HttpDependencies, access: Exclude<Access, 'public'>, namesService: boolean) {
  return async (request: FastifyRequest, _: FastifyReply): Promise<void> => {
    const caller = await authenticate(deps, request);
    if (access !== 'token' && !hasRole(caller, access)) {
      throw new Problem('role_missing', { role: access, words: { role: access } });
    }
    request.caller = caller;
    if (namesService) request.service = await serviceOf(deps, request);
  };
}

async function serviceOf(deps: HttpDependencies, request: FastifyRequest): Promise<Service> {
  const slug = parseServiceSlug((request.params as { service: string }).service);
  const service = slug === undefined ? undefined : await deps.store.access.findService(slug);
  if (service === undefined) throw new Problem('unknown_service');
  return service;
}
