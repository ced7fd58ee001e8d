import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Caller, hasRole } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { identifyCaller, identifySession } from '../../operations/accounts/identify-caller.ts';
import { checkStore } from '../../operations/check-store.ts';
import { countUnfinishedUploads } from '../../operations/samples/count-unfinished-uploads.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { readSession, readToken } from '../gate/authenticate.ts';
import { browserRefusal } from '../gate/browser-requests.ts';
import { isolationTier } from '../responses/operation-schemas.ts';
import { failure, list } from '../responses/schemas.ts';

const tags = ['Health'];

const health = z
  .strictObject({
    status: z.string(),
    details: z
      .strictObject({
        analysis: z.strictObject({
          queued: z
            .int()
            .min(0)
            .meta({ description: 'Samples that are pending or being analysed' }),
          isolation: z
            .strictObject({ tier: isolationTier, means: list(z.string()), lacks: list(z.string()) })
            .nullable()
            .meta({
              description:
                'The sandbox of the analysis workers; null if this process analyses no samples',
            }),
        }),
      })
      .optional()
      .meta({ description: 'Only for administrators' }),
  })
  .meta({ id: 'Health', description: 'The process is healthy' });

/** HEAD is not in the OpenAPI document: clients that generate code would get every check twice. */
const METHODS = [
  { method: 'GET', hide: false },
  { method: 'HEAD', hide: true },
] as const;

export function healthRoutes(app: App, deps: HttpDependencies): void {
  for (const { method, hide } of METHODS) {
    app.route({
      method,
      url: '/livez',
      config: { access: 'public' },
      schema: {
        summary: 'Check whether the process runs',
        operationId: 'livez',
        tags,
        hide,
        response: { 200: health },
      },
      handler: async () => ({ status: 'live' }),
    });

    for (const url of ['/readyz', '/healthz'])
      app.route({
        method,
        url,
        config: { access: 'public' },
        schema: {
          summary:
            'Check whether the server can serve: the database answers, its disks are writable, its clock is right and it is not shutting down',
          description:
            'With the token of an administrator, the response describes the analysis workers.',
          operationId: url.slice(1),
          tags,
          hide,
          response: { 200: health, 503: failure },
        },
        handler: (request) => checkReadiness(deps, request),
      });
  }
}

async function checkReadiness(
  deps: HttpDependencies,
  request: FastifyRequest,
): Promise<z.output<typeof health>> {
  if (deps.isDraining()) throw new Problem('unavailable', { retryAfterSeconds: 5 });
  await checkStore(deps);
  const notReady = await deps.whyNotReady?.();
  if (notReady !== undefined) throw notReady;
  if (!(await isAdmin(deps, request))) return { status: 'ready' };
  const isolation = (await deps.workers())?.isolation ?? null;
  const queued = await countUnfinishedUploads(deps);
  return { status: 'ready', details: { analysis: { queued, isolation } } };
}

/** The readiness check is public: a bad token or session only hides the details. */
async function isAdmin(deps: HttpDependencies, request: FastifyRequest): Promise<boolean> {
  const token = readToken(request.headers);
  const session = readSession(deps, request);
  if (token !== undefined) return isAdminCaller(await identifyCaller(deps, token));
  if (session === undefined || browserRefusal(deps, request) !== undefined) return false;
  return isAdminCaller(await identifySession(deps, session));
}

function isAdminCaller(caller: Caller | string | undefined): boolean {
  return typeof caller === 'object' && hasRole(caller, 'admin');
}
