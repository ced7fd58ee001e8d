import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { hasRole } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { identifyCaller } from '../../operations/accounts/identify-caller.ts';
import { checkStore } from '../../operations/check-store.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { readToken } from '../gate/authenticate.ts';
import { failure, list } from '../responses/schemas.ts';

const tags = ['Health'];

const health = z
  .strictObject({
    status: z.string(),
    details: z
      .strictObject({
        analysis: z.strictObject({
          queued: z.int().min(0).meta({ description: 'Samples that wait or are being analysed' }),
          isolation: z
            .strictObject({ means: list(z.string()), lacks: list(z.string()) })
            .nullable()
            .meta({ description: 'How samples are set apart; null where none are analysed here' }),
        }),
      })
      .optional()
      .meta({ description: 'For administrators alone' }),
  })
  .meta({ id: 'Health', description: 'All is well' });

export function healthRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'GET',
    url: '/livez',
    config: { access: 'public' },
    schema: {
      summary: 'Whether the process runs',
      operationId: 'livez',
      tags,
      response: { 200: health },
    },
    handler: async () => ({ status: 'live' }),
  });

  for (const url of ['/readyz', '/healthz']) {
    app.route({
      method: 'GET',
      url,
      config: { access: 'public' },
      schema: {
        summary:
          'Whether it can serve: the store answers, its disks can be written to, its clock is right and it is not shutting down',
        description: 'Administrators who send their token are told how analysis is set up.',
        operationId: url.slice(1),
        tags,
        response: { 200: health, 503: failure },
      },
      async handler(request) {
        if (deps.isDraining()) throw new Problem('unavailable', { retryAfterSeconds: 5 });
        await checkStore(deps);
        const notReady = await deps.whyNotReady?.();
        if (notReady !== undefined) throw notReady;
        if (!(await isAdmin(deps, request))) return { status: 'ready' };
        const isolation = deps.isolation() ?? null;
        const queued = await deps.queue.depth('analyse');
        return { status: 'ready', details: { analysis: { queued, isolation } } };
      },
    });
  }
}

/** The readiness check is public: a bad token only hides the details. */
async function isAdmin(deps: HttpDependencies, { headers }: FastifyRequest): Promise<boolean> {
  const token = readToken(headers);
  if (token === undefined) return false;
  const caller = await identifyCaller(deps, token);
  return caller !== undefined && hasRole(caller, 'admin');
}
