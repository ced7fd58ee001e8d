import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { invalid, Problem } from '../../domain/problem.ts';
import type { App } from '../fastify-types.ts';
import { encodingRefusal } from './media-type.ts';

/**
 * Accepts JSON of these types and nothing else. Fastify would also accept text, and would silently
 * replace invalid UTF-8.
 */
export function acceptJsonOnly(
  app: App,
  types: string[] = ['application/json'],
  refusalOf: (request: FastifyRequest) => Problem | undefined = encodingRefusal,
): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(types, { parseAs: 'buffer' }, (request, body, done) => {
    const refusal = refusalOf(request);
    if (refusal !== undefined) return done(refusal);
    if (!isUtf8(body as Buffer)) return done(new Problem('malformed_json'));
    return parseJson(request, body.toString(), (error, value) => {
      done(error ?? nullRefusal(request, value), value);
    });
  });
}

/**
 * Validators cannot tell `null` from the absence of a body, which some routes accept. Routes
 * without a schema ignore the body.
 */
function nullRefusal(request: FastifyRequest, value: unknown): Problem | null {
  if (value !== null || request.routeOptions.schema?.body === undefined) return null;
  return invalid('invalid_body', ['It must be a JSON object.']);
}
