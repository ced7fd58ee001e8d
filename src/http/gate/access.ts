import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { type Caller, hasRole, ownsFeed } from '../../domain/accounts/caller.ts';
import { roleMissing } from '../../domain/accounts/require-role.ts';
import { Problem } from '../../domain/problem.ts';
import { parseServiceSlug, type Service } from '../../domain/reports/service.ts';
import { findService, recallService } from '../../operations/accounts/find-service.ts';
import { identifyByDigest } from '../../operations/accounts/identify-caller.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { StreamTickets } from '../stream/tickets.ts';
import { authenticate, readToken, recallRequestCaller, refuseBadToken } from './authenticate.ts';
import { PermissionWatch } from './permission-watch.ts';

/** Who may call a route: anybody, any live account, one with that role, or one that owns the feed it names. */
export type Access = 'public' | 'token' | 'researcher' | 'admin' | 'owner';

/**
 * Puts the gate in front of every route: token, role and service are checked before a body is read. A
 * route that does not say who may call it stops the server from starting.
 */
export function guardRoutes(
  app: FastifyInstance,
  deps: HttpDependencies,
  tickets: StreamTickets,
): void {
  const routes: RouteOptions[] = [];
  app.decorateRequest('caller');
  app.decorateRequest('service');
  app.decorateRequest('ticketDigest');
  app.decorateRequest('permission');
  const watch = new PermissionWatch(deps);
  app.addHook('onRoute', (route) => {
    routes.push(route);
    const access = route.config?.access;
    if (access === undefined || access === 'public') return;
    const check = createGate({ ...deps, tickets }, access, route.url.includes('/:service/'));
    const { endsWithPermission } = route.config ?? {};
    route.onRequest = [
      check,
      ...(endsWithPermission ? [watchPermission(deps, watch, access)] : []),
      ...[route.onRequest ?? []].flat(),
    ];
    // Again when the body has arrived, which may take minutes: nothing is done for a permission that ended meanwhile.
    if ([route.method].flat().some((method) => WITH_BODY.includes(method)))
      route.preHandler = [check, ...[route.preHandler ?? []].flat()];
  });
  app.addHook('onReady', async () => {
    const open = routes.find((route) => route.config?.access === undefined);
    if (open !== undefined)
      throw new Error(`the route ${open.method} ${open.url} does not say who may call it`);
  });
}

const WITH_BODY = ['POST', 'PUT', 'PATCH'];

type ProtectedAccess = Exclude<Access, 'public'>;

interface GateDependencies extends HttpDependencies {
  readonly tickets: StreamTickets;
}

/** Token, then role, then service. What is known already is checked without leaving the turn. */
function createGate(deps: GateDependencies, access: ProtectedAccess, namesService: boolean) {
  return (request: FastifyRequest, _: FastifyReply, done: (error?: Error) => void): void => {
    let isAdmitted: boolean;
    try {
      isAdmitted = admitFromCache(deps, access, namesService, request);
    } catch (error) {
      // Thrown out of here it would end the process.
      done(error as Error);
      return;
    }
    if (isAdmitted) done();
    else admit(deps, access, namesService, request).then(() => done(), done);
  };
}

function admitFromCache(
  deps: GateDependencies,
  access: ProtectedAccess,
  namesService: boolean,
  request: FastifyRequest,
): boolean {
  const caller = recallRequestCaller(deps, request);
  if (caller === undefined || refusalOf(caller, access, undefined) !== undefined) return false;
  request.caller = caller;
  if (!namesService) return true;
  const slug = slugOf(request);
  const service = slug === undefined ? undefined : recallService(deps, slug);
  if (service === undefined || refusalOf(caller, access, service) !== undefined) return false;
  request.service = service;
  return true;
}

async function admit(
  deps: GateDependencies,
  access: ProtectedAccess,
  namesService: boolean,
  request: FastifyRequest,
): Promise<void> {
  const caller = (await callerByTicket(deps, request)) ?? (await authenticate(deps, request));
  const roleRefusal = refusalOf(caller, access, undefined);
  if (roleRefusal !== undefined) throw roleRefusal;
  request.caller = caller;
  if (!namesService) return;
  request.service = await serviceOf(deps, request);
  const ownerRefusal = refusalOf(caller, access, request.service);
  if (ownerRefusal !== undefined) throw ownerRefusal;
}

/** Has the permission of a call checked for as long as it takes. */
function watchPermission(deps: HttpDependencies, watch: PermissionWatch, access: ProtectedAccess) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const permission = watch.watch({
      digest: deps.tokenDigests.of(request.raw.socket, readToken(request.headers) ?? ''),
      refusal: (caller) => refusalOf(caller, access, request.service),
    });
    request.permission = permission;
    // A caller that left while the gate asked the store closes no more.
    if (reply.raw.closed) permission.release();
    else reply.raw.once('close', permission.release);
    if (request.routeOptions.config.endsWithPermission === 'answer')
      permission.signal.addEventListener('abort', () => reply.raw.destroy());
    done();
  };
}

/**
 * The one check of roles and ownership: `undefined` if the caller may call the route. Ownership is checked only when
 * the service is known, because an unknown service is refused with 404 first.
 */
function refusalOf(
  caller: Caller,
  access: ProtectedAccess,
  service: Service | undefined,
): Problem | undefined {
  if (access === 'token') return undefined;
  if (access !== 'owner') return hasRole(caller, access) ? undefined : roleMissing(access);
  const isRefused = service !== undefined && !ownsFeed(caller, service.slug);
  return isRefused ? new Problem('not_owner') : undefined;
}

/** Who opens a stream with a ticket; `undefined` where none is sent, or is not taken here. */
async function callerByTicket(
  deps: GateDependencies,
  request: FastifyRequest,
): Promise<Caller | undefined> {
  const { ticket } = request.query as { ticket?: unknown };
  const isAccepted = request.routeOptions.config.takesTicket === true && typeof ticket === 'string';
  if (!isAccepted || readToken(request.headers) !== undefined) return undefined;
  const digest = await deps.tickets.redeem(slugOf(request), ticket);
  const caller = digest && (await identifyByDigest(deps, digest));
  if (caller === undefined) return refuseBadToken(deps, request, 'ticket_invalid');
  request.ticketDigest = digest;
  return caller;
}

async function serviceOf(deps: HttpDependencies, request: FastifyRequest): Promise<Service> {
  const slug = slugOf(request);
  if (slug === undefined) throw new Problem('unknown_service');
  return await findService(deps, slug);
}

function slugOf(request: FastifyRequest): string | undefined {
  const { service } = request.params as { service?: string };
  return service === undefined ? undefined : parseServiceSlug(service);
}
