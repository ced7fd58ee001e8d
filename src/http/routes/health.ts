import { Problem } from '../../domain/problem.ts';
import type { App } from '../app.ts';
import type { HttpDependencies } from '../dependencies.ts';
import { failure, health } from '../replies.ts';

const tags = ['Health'];

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
        summary: 'Whether it can serve: the store answers and it is not shutting down',
        operationId: url.slice(1),
        tags,
        response: { 200: health, 503: failure },
      },
      async handler() {
        if (deps.isDraining()) throw new Problem('unavailable', { retryAfterSeconds: 5 });
        // For whatever reason it does not answer, it is not ready.
        await deps.store.check().catch((cause: unknown) => {
          throw new Problem('unavailable', { cause, retryAfterSeconds: 1 });
        });
        return { status: 'ready' };
      },
    });
  }
}
