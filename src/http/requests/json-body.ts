import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { invalid, Problem } from '../../domain/problem.ts';
import type { App } from '../fastify-types.ts';
import { awaitBodyTurn, isLongBody } from './body-turns.ts';
import { BODY_BOUNDS, boundRule, exceededBound, type JsonBounds } from './json-bounds.ts';
import { encodingRefusal } from './media-type.ts';

interface JsonBodies {
  readonly types?: string[];
  readonly refusalOf?: (request: FastifyRequest) => Problem | undefined;
  /** The refusal of a body that exceeds the bounds, by the rule for people. */
  readonly boundRefusal?: (rule: string) => Problem;
}

/**
 * Accepts JSON of these types and nothing else. Fastify would also accept text, and would silently
 * replace invalid UTF-8.
 */
export function acceptJsonOnly(
  app: App,
  {
    types = ['application/json'],
    refusalOf = encodingRefusal,
    boundRefusal = (rule) => invalid('invalid_body', [`The body must have ${rule}.`]),
  }: JsonBodies = {},
): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  const refusalOfBytes = (body: Buffer, bounds: JsonBounds): Problem | undefined => {
    if (!isUtf8(body)) return new Problem('malformed_json');
    const bound = body.length < MIN_BOUNDED_BYTES ? undefined : exceededBound(body, bounds);
    return bound && boundRefusal(boundRule(bound, bounds));
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(types, { parseAs: 'buffer' }, (request, content, done) => {
    const refusal = refusalOf(request);
    if (refusal !== undefined) return done(refusal);
    const body = content as Buffer;
    const parse = () => {
      const { maxValues: values = BODY_BOUNDS.values } = request.routeOptions.config;
      const bodyRefusal = refusalOfBytes(body, { ...BODY_BOUNDS, values });
      if (bodyRefusal !== undefined) return done(bodyRefusal);
      return parseJson(request, body.toString(), (error, value) => {
        done(error ?? nullRefusal(request, value), value);
      });
    };
    if (!isLongBody(body.length)) return parse();
    return void awaitBodyTurn(body.length).then(parse);
  });
}

/** Shorter bodies cost little, whatever they hold. Most are shorter. */
const MIN_BOUNDED_BYTES = 1024;

/**
 * Validators cannot tell `null` from the absence of a body, which some routes accept. Routes
 * without a schema ignore the body.
 */
function nullRefusal(request: FastifyRequest, value: unknown): Problem | null {
  if (value !== null || request.routeOptions.schema?.body === undefined) return null;
  return invalid('invalid_body', ['It must be a JSON object.']);
}
