import { METHODS as ALL_METHODS } from 'node:http';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import type { App } from '../fastify-types.ts';

/** Node closes the connection on CONNECT and never passes it to a handler. */
const METHODS = ALL_METHODS.filter((method) => method !== 'CONNECT');

/**
 * Every path has a route for it, which refuses it on all but public resources: on a lookup it would
 * spend quota.
 */
const ROUTED_EVERYWHERE = 'HEAD';

/**
 * Records the methods of each path, and refuses all others with 405 and `Allow`. Methods that some
 * path supports are refused by a route, because a path without parameters has precedence over one
 * with them. Thirty other methods have no routes, which would take a tenth of the time to start:
 * they are refused if the path has a route for another method.
 */
export class AllowedMethods {
  readonly #app: App;
  readonly #routes: { readonly url: string; readonly route: RouteOptions }[] = [];
  /** The header of each path. */
  readonly #allow = new Map<string, string>();
  readonly #routed = new Set([ROUTED_EVERYWHERE]);

  constructor(app: App) {
    this.#app = app;
    for (const method of METHODS)
      if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
    // A later hook may add a method to the route.
    app.addHook('onRoute', (route) => {
      this.#routes.push({ url: route.url, route });
    });
  }

  /** Must be called after all routes are registered. */
  refuseOthers(): void {
    const byUrl = this.#methodsByUrl();
    for (const methods of byUrl.values()) for (const method of methods) this.#routed.add(method);
    for (const [url, methods] of byUrl) {
      const allow = [...methods].sort().join(', ');
      this.#allow.set(url, allow);
      this.#app.route({
        method: [...this.#routed].filter((method) => !methods.has(method)),
        url,
        config: { access: 'public' },
        schema: { hide: true },
        // Refused before the body is read.
        onRequest: async (_, reply) => {
          reply.header('allow', allow);
          throw new Problem('method_not_allowed');
        },
        handler: async () => undefined,
      });
    }
  }

  #methodsByUrl(): ReadonlyMap<string, ReadonlySet<string>> {
    const byUrl = new Map<string, Set<string>>();
    for (const { url, route } of this.#routes) {
      const methods = byUrl.get(url) ?? new Set();
      for (const method of [route.method].flat()) methods.add(method);
      byUrl.set(url, methods);
    }
    return byUrl;
  }

  /** The refusal of a request without a route; `undefined` if its path is unknown. */
  refusalOf(request: FastifyRequest, reply: FastifyReply): Problem | undefined {
    const { method, url: target = '' } = request.raw;
    if (method === undefined || this.#routed.has(method)) return undefined;
    const found = this.#app.findRoute({ method: ROUTED_EVERYWHERE, url: target });
    if (found === null) return undefined;
    const url = this.#urlOf(target, Object.keys(found.params));
    // The router has refused the path, as it does for other methods: a parameter is too long.
    if (url === undefined) return new Problem('malformed_request');
    reply.header('allow', this.#allow.get(url));
    this.#app.recordRequest(request, url, STATUS);
    return new Problem('method_not_allowed');
  }

  /** The router does not tell which of the URLs has matched, only the parameters. */
  #urlOf(target: string, parameters: readonly string[]): string | undefined {
    const path = pathOf(target).split('/');
    return this.#allow.keys().find((url) => {
      const segments = url.split('/');
      const names = segments.filter((segment) => isParameter(segment));
      return (
        names.length === parameters.length &&
        names.every((name) => parameters.includes(name === '*' ? name : name.slice(1))) &&
        matches(segments, path)
      );
    });
  }
}

const STATUS = 405;

/**
 * Without the query, and without the origin that a client may send to a proxy. Like the router, it
 * takes the first character for a slash.
 */
function pathOf(target: string): string {
  const [path = ''] = (target.split('?', 1)[0] ?? '').split('#', 1);
  const [scheme = '', , , ...segments] = path.split('/');
  const hasOrigin = ['http:', 'https:'].includes(scheme.toLowerCase());
  return `/${hasOrigin ? segments.join('/') : path.slice(1)}`;
}

function isParameter(segment: string): boolean {
  return segment.startsWith(':') || segment === '*';
}

function matches(segments: readonly string[], path: readonly string[]): boolean {
  const isWildcard = segments.at(-1) === '*';
  return (
    (isWildcard ? path.length >= segments.length : path.length === segments.length) &&
    segments.every((segment, at) => isParameter(segment) || segment === decodeURI(path[at] ?? ''))
  );
}
