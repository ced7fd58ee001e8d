import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import type { App } from '../fastify-types.ts';
import { discardUnreadBody } from './unread-body.ts';

/**
 * A caller that waits for `100 Continue` before it sends its body is told to go on once its token, role and service
 * have been checked and its route wants the body. Told earlier, anybody could make the server read a sample.
 */
export function handleExpectations(app: App): void {
  // One that we do not know is passed over, as RFC 9110 allows; Node would refuse it in its own form.
  app.server.on('checkExpectation', (request, response) =>
    app.server.emit('request', request, response),
  );
  app.server.on('checkContinue', (request, response) => {
    // A caller that was refused may send its body all the same, or not: it cannot be waited for.
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
