import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../fastify-types.ts';

/** Responses are private and are data: a browser must not cache, guess, frame or run them. */
export const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const ENTRIES = Object.entries(HEADERS);

/**
 * Adds the headers of every response. They are added when a response is sent: routes that send
 * their responses directly would otherwise pay for headers that fastify never sends.
 */
export function addResponseHeaders(app: App): void {
  app.decorateRequest('rateHeaders', undefined);
  app.addHook('onSend', (request, reply, payload, done) => {
    addHeaders(request, reply);
    done(null, payload);
  });
}

/** Keeps the headers that a route has set. */
export function addHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  for (const [name, value] of ENTRIES) if (!reply.hasHeader(name)) reply.header(name, value);
  if (request.rateHeaders !== undefined) reply.headers(request.rateHeaders);
}
