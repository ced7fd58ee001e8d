import type { FastifyRequest } from 'fastify';
import type { Metrics } from '../observability/metrics.ts';
import type { App } from './app.ts';

type Child = ReturnType<Metrics['requests']['labels']>;

/** Times every request, by its route and never by its address, which may hold a hash or an id. */
export function observeRequests(app: App, metrics: Metrics): void {
  // Finding a histogram by its labels takes longer than adding to it.
  const children = new Map<string, Child>();
  const childOf = (method: string, route: string, status: number): Child => {
    const key = `${method} ${route} ${status}`;
    const known = children.get(key);
    if (known !== undefined) return known;
    const made = metrics.requests.labels(method, route, String(status));
    children.set(key, made);
    return made;
  };

  app.addHook('onRoute', (route) => {
    const observe = (request: FastifyRequest, status: number, elapsedMs: number) => {
      childOf(request.method, route.url, status).observe(elapsedMs / 1000);
    };
    route.onResponse = [
      (request, reply, done) => {
        observe(request, reply.statusCode, reply.elapsedTime);
        done();
      },
      ...[route.onResponse ?? []].flat(),
    ];
  });

  app.addHook('onResponse', (request, reply, done) => {
    request.log.debug(
      { method: request.method, url: request.url, status: reply.statusCode, ms: reply.elapsedTime },
      'answered',
    );
    done();
  });
}
