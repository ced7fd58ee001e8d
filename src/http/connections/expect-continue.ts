import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import type { App } from '../fastify-types.ts';
import { discardUnreadBody } from './unread-body.ts';

/**
 * Sends `100 Continue` only after the token, role and service have been checked and the route
 * accepts the body. If it were sent earlier, an unauthenticated client could make the server read a
 * sample.
 */
export function handleExpectations(app: App): void {
  // Unknown expectations are ignored, as RFC 9110 allows. Node would refuse them with a response
  // that does not have the form of our errors.
  app.server.on('checkExpectation', (request, response) =>
    app.server.emit('request', request, response),
  );
  app.server.on('checkContinue', (request, response) => {
    // A refused client may send its body or not, so the server does not wait for it.
    response.once('finish', () => discardUnreadBody(request));
    app.server.emit('request', request, response);
  });
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET') return;
    route.preParsing = [...[route.preParsing ?? []].flat(), sendContinue];
  });
}

const CONTINUE = /^100-continue$/i;

function sendContinue(
  { headers }: FastifyRequest,
  { raw }: FastifyReply,
  payload: RequestPayload,
  done: (error: Error | null, payload: RequestPayload) => void,
): void {
  if (headers.expect !== undefined && CONTINUE.test(headers.expect)) raw.writeContinue();
  done(null, payload);
}
