import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { type Caller, hasRole, ownsFeed } from '../../domain/accounts/caller.ts';
import { roleMissing } from '../../domain/accounts/require-role.ts';
import { Problem } from '../../domain/problem.ts';
import { parseServiceSlug, type Service } from '../../domain/services/service.ts';
import { identifyByDigest } from '../../operations/accounts/identify-caller.ts';
import { findService } from '../../operations/services/find-service.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { StreamTickets } from '../stream/tickets.ts';
import {
  authenticate,
  credentialDigest,
  readTicket,
  readToken,
  refuseBadToken,
} from './authenticate.ts';
import { PermissionWatch } from './permission-watch.ts';

/**
 * Who may call a route: anyone, any live account, an account with the role, an owner of the feed in
 * the path, or an owner of it and any administrator.
 */
export type Access = 'public' | 'token' | 'researcher' | 'admin' | 'owner' | 'owner-or-admin';

/**
 * Adds the gate to every route: it checks token, role and service before the body is read. A route
 * that does not declare `access` prevents the server from starting.
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
    const check = createGate({ ...deps, tickets }, access, hasService(route.url));
    const { endsWithPermission } = route.config ?? {};
    route.onRequest = [
      check,
      ...(endsWithPermission ? [watchPermission(deps, watch, access)] : []),
      ...[route.onRequest ?? []].flat(),
    ];
    // Reading a body may take minutes, so the gate checks again afterwards. A permission that was
    // revoked in that time must not take effect.
    if ([route.method].flat().some((method) => WITH_BODY.includes(method)))
      route.preHandler = [check, ...[route.preHandler ?? []].flat()];
  });
  app.addHook('onReady', async () => {
    const open = routes.find((route) => route.config?.access === undefined);
    if (open !== undefined)
      throw new Error(`the route ${open.method} ${open.url} does not declare its access`);
    // Without a service to own, such a route would admit every account.
    const unowned = routes.find(
      ({ config, url }) => isOfOwners(config?.access) && !hasService(url),
    );
    if (unowned !== undefined)
      throw new Error(`the route ${unowned.method} ${unowned.url} names no service to own`);
  });
}

function hasService(url: string): boolean {
  return /\/:service(?:\/|$)/.test(url);
}

function isOfOwners(access: Access | undefined): access is 'owner' | 'owner-or-admin' {
  return access === 'owner' || access === 'owner-or-admin';
}

const WITH_BODY = ['POST', 'PUT', 'PATCH'];

type ProtectedAccess = Exclude<Access, 'public'>;

interface GateDependencies extends HttpDependencies {
  readonly tickets: StreamTickets;
}

/** Checks the token, then the role, then the service. */
function createGate(deps: GateDependencies, access: ProtectedAccess, namesService: boolean) {
  return (request: FastifyRequest): Promise<void> => admit(deps, access, namesService, request);
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

/** Checks the permission of a long request or response until it is closed. */
function watchPermission(deps: HttpDependencies, watch: PermissionWatch, access: ProtectedAccess) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const permission = watch.watch({
      digest: credentialDigest(deps, request),
      refusal: (caller) => refusalOf(caller, access, request.service),
    });
    request.permission = permission;
    // The client may have disconnected during the query of the gate. Then `close` is not emitted
    // again.
    if (reply.raw.closed) permission.release();
    else reply.raw.once('close', permission.release);
    if (request.routeOptions.config.endsWithPermission === 'response')
      permission.signal.addEventListener('abort', () => reply.raw.destroy());
    done();
  };
}

/**
 * The only check of roles and ownership. Returns `undefined` if the caller may use the route.
 * Ownership is checked only if the service is known, because an unknown service is refused with 404
 * first.
 */
function refusalOf(
  caller: Caller,
  access: ProtectedAccess,
  service: Service | undefined,
): Problem | undefined {
  if (access === 'token') return undefined;
  if (isOfOwners(access)) return service && refusalOfOwner(caller, access, service);
  return hasRole(caller, access) ? undefined : roleMissing(access);
}

function refusalOfOwner(
  caller: Caller,
  access: 'owner' | 'owner-or-admin',
  service: Service,
): Problem | undefined {
  if (ownsFeed(caller, service.slug)) return undefined;
  if (access === 'owner') return new Problem('not_owner');
  return hasRole(caller, 'admin') ? undefined : new Problem('not_owner_or_admin');
}

/**
 * The caller that opens a stream with a ticket; `undefined` if the request has no ticket or the
 * route accepts none.
 */
async function callerByTicket(
  deps: GateDependencies,
  request: FastifyRequest,
): Promise<Caller | undefined> {
  const ticket = readTicket(request);
  if (ticket === undefined || readToken(request.headers) !== undefined) return undefined;
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
