import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { invalid, Problem } from '../../domain/problem.ts';
import type { App } from '../fastify-types.ts';
import { BODY_BOUNDS, boundRule, exceededBound } from './json-bounds.ts';
import { encodingRefusal } from './media-type.ts';

interface JsonBodies {
  readonly types?: string[];
  readonly refusalOf?: (request: FastifyRequest) => Problem | undefined;
  /** Throws the refusal of bytes that must not be parsed, after some turns of the event loop. */
  readonly check?: (bytes: Buffer) => Promise<void>;
}

/**
 * Accepts JSON of these types and nothing else. Fastify would also accept text, and would silently
 * replace invalid UTF-8.
 */
export function acceptJsonOnly(
  app: App,
  { types = ['application/json'], refusalOf = encodingRefusal, check }: JsonBodies = {},
): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(types, { parseAs: 'buffer' }, (request, body, done) => {
    const refusal = refusalOf(request);
    if (refusal !== undefined) return done(refusal);
    if (!isUtf8(body as Buffer)) return done(new Problem('malformed_json'));
    const bound = boundRefusal(body as Buffer);
    if (bound !== undefined) return done(bound);
    const parse = () =>
      void parseJson(request, body.toString(), (error, value) => {
        done(error ?? nullRefusal(request, value), value);
      });
    if (check === undefined) return parse();
    check(body as Buffer).then(parse, done);
  });
}

/** Shorter bodies cost little, whatever they hold. Most are shorter. */
const MIN_BOUNDED_BYTES = 1024;

function boundRefusal(body: Buffer): Problem | undefined {
  const bound = body.length < MIN_BOUNDED_BYTES ? undefined : exceededBound(body, BODY_BOUNDS);
  if (bound === undefined) return undefined;
  return invalid('invalid_body', [`The body must have ${boundRule(bound, BODY_BOUNDS)}.`]);
}

/**
 * Validators cannot tell `null` from the absence of a body, which some routes accept. Routes
 * without a schema ignore the body.
 */
function nullRefusal(request: FastifyRequest, value: unknown): Problem | null {
  if (value !== null || request.routeOptions.schema?.body === undefined) return null;
  return invalid('invalid_body', ['It must be a JSON object.']);
}
