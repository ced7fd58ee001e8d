import type { FastifyReply, FastifyRequest } from 'fastify';
import { RESPONSE_HEADERS } from '../openapi/headers.ts';

const METHODS = 'DELETE, GET, PATCH, POST';

/** `X-Rapsheet-Request` is missing: it proves that a request comes from a page of this server. */
const REQUEST_HEADERS = [
  'Auth-Key',
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'Last-Event-ID',
  'Prefer',
  'X-Api-Key',
].join(', ');

/** Browsers never show `Set-Cookie` to scripts. */
const EXPOSED_HEADERS = Object.keys(RESPONSE_HEADERS)
  .filter((name) => name !== 'Set-Cookie')
  .join(', ');

const PREFLIGHT_SECONDS = '600';

/**
 * Lets pages of other origins call the API with a token. Credentials are never allowed: browsers
 * then send no cookie, and the gate refuses a session from another origin anyway. Responses to
 * other origins have no CORS headers, so browsers do not show them to a page.
 */
export class CorsOrigins {
  readonly #origins: ReadonlySet<string>;

  /** Exact origins, as browsers send them. */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /**
   * Adds the headers of a response, and returns whether it has answered the request, which is then
   * a preflight. They are set on the response of Node, so that they are also sent if a route
   * bypasses fastify.
   */
  handle({ method, headers }: FastifyRequest, reply: FastifyReply): boolean {
    // Sent even without an origin, so that no cache gives the response to a page of another one.
    reply.raw.setHeader('vary', 'Origin');
    const { origin, 'access-control-request-method': asked } = headers;
    if (origin === undefined || !this.#origins.has(origin)) return false;
    reply.raw.setHeader('access-control-allow-origin', origin);
    if (method !== 'OPTIONS' || asked === undefined) {
      reply.raw.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
      return false;
    }
    reply.raw.setHeader('access-control-allow-methods', METHODS);
    reply.raw.setHeader('access-control-allow-headers', REQUEST_HEADERS);
    reply.raw.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
    void reply.code(204).send();
    return true;
  }
}

/** `undefined` without origins: then no request pays for the check. */
export function createCors(origins: readonly string[]): CorsOrigins | undefined {
  return origins.length === 0 ? undefined : new CorsOrigins(origins);
}
