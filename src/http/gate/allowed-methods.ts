import { METHODS as ALL_METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../../domain/problem.ts';

/** Node closes the connection on CONNECT and never passes it to a handler. */
const METHODS = ALL_METHODS.filter((method) => method !== 'CONNECT');

/** Records the methods of each path, and refuses all others with 405 and `Allow`. */
export class AllowedMethods {
  readonly #methods = new Map<string, Set<string>>();

  record(app: FastifyInstance): void {
    for (const method of METHODS)
      if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
    app.addHook('onRoute', ({ url, method }) => {
      const methods = this.#methods.get(url) ?? new Set();
      for (const one of [method].flat()) methods.add(one);
      this.#methods.set(url, methods);
    });
  }

  /**
   * Must be called after all routes are registered. HEAD is refused too: on a lookup it would spend
   * quota.
   */
  refuseOthers(app: FastifyInstance): void {
    for (const [url, methods] of [...this.#methods]) {
      const allow = [...methods].sort().join(', ');
      app.route({
        method: METHODS.filter((method) => !methods.has(method)),
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
}
