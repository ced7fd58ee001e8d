import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../fastify-types.ts';

/** Responses are private and are data: a browser must not cache, guess, frame or run them. */
export const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Adds the headers of every response. A route may replace them. */
export function addResponseHeaders(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(request, reply);
    done();
  });
}

/** For responses before the first hook. */
export function setHeaders({ id }: FastifyRequest, reply: FastifyReply): void {
  reply.headers({ 'x-request-id': id, ...HEADERS });
}
