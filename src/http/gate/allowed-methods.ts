import { METHODS as ALL_METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../../domain/problem.ts';

/** Node hands CONNECT to nobody: it closes the connection. */
const METHODS = ALL_METHODS.filter((method) => method !== 'CONNECT');

/** Remembers which methods each address takes, to refuse the others by name. */
export class AllowedMethods {
  readonly #taken = new Map<string, Set<string>>();

  record(app: FastifyInstance): void {
    for (const method of METHODS)
      if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
    app.addHook('onRoute', ({ url, method }) => {
      const taken = this.#taken.get(url) ?? new Set();
      for (const one of [method].flat()) taken.add(one);
      this.#taken.set(url, taken);
    });
  }

  /** To be called when all routes are there. HEAD is refused too: on a lookup it would take a unit. */
  refuseOthers(app: FastifyInstance): void {
    for (const [url, taken] of [...this.#taken]) {
      const allow = [...taken].sort().join(', ');
      app.route({
        method: METHODS.filter((method) => !taken.has(method)),
        url,
        config: { access: 'public' },
        schema: { hide: true },
        // Before a body is read: whatever it holds, it is not wanted.
        onRequest: async (_, reply) => {
          reply.header('allow', allow);
          throw new Problem('method_not_allowed');
        },
        handler: async () => undefined,
      });
    }
  }
}
