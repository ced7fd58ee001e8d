import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { type Caller, hasRole } from '../domain/caller.ts';
import { Problem } from '../domain/problem.ts';
import { parseServiceSlug, type Service } from '../domain/service.ts';
import { authenticate, recognise } from './authenticate.ts';
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

type Guarded = Exclude<Access, 'public'>;

/** Token, then role, then service. What is known already is checked without leaving the turn. */
function gate(deps: HttpDependencies, access: Guarded, namesService: boolean) {
  return (request: FastifyRequest, _: FastifyReply, done: (error?: Error) => void): void => {
    let known: boolean;
    try {
      known = admitKnown(deps, access, namesService, request);
    } catch (error) {
      // Thrown out of here it would end the process.
      done(error as Error);
      return;
    }
    if (known) done();
    else admit(deps, access, namesService, request).then(() => done(), done);
  };
}

function admitKnown(
  deps: HttpDependencies,
  access: Guarded,
  namesService: boolean,
  request: FastifyRequest,
): boolean {
  const caller = recognise(deps, request);
  if (caller === undefined || !isAllowed(caller, access)) return false;
  request.caller = caller;
  if (!namesService) return true;
  const service = recallService(deps, request);
  if (service === undefined) return false;
  request.service = service;
  return true;
}

async function admit(
  deps: HttpDependencies,
  access: Guarded,
  namesService: boolean,
  request: FastifyRequest,
): Promise<void> {
  const caller = await authenticate(deps, request);
  if (!isAllowed(caller, access)) {
    throw new Problem('role_missing', { role: access, words: { role: access } });
  }
  request.caller = caller;
  if (namesService) request.service = await serviceOf(deps, request);
}

function isAllowed(caller: Caller, access: Guarded): boolean {
  return access === 'token' || hasRole(caller, access);
}

function recallService(deps: HttpDependencies, request: FastifyRequest): Service | undefined {
  const slug = slugOf(request);
  return slug === undefined ? undefined : deps.store.access.recallService(slug);
}

async function serviceOf(deps: HttpDependencies, request: FastifyRequest): Promise<Service> {
  const slug = slugOf(request);
  const service = slug === undefined ? undefined : await deps.store.access.findService(slug);
  if (service === undefined) throw new Problem('unknown_service');
  return service;
}

function slugOf(request: FastifyRequest): string | undefined {
  return parseServiceSlug((request.params as { service: string }).service);
}
