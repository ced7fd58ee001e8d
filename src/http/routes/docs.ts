import swaggerUi from '@fastify/swagger-ui';
import type { App } from '../fastify-types.ts';
import { takeForResponse } from '../gate/request-memory.ts';

/** What is read of a file ahead of the caller. */
const FILE_BYTES = 192 * 1024;
/** For an answer whose bytes are the same for all. */
const SHARED_BYTES = 16 * 1024;

/** The OpenAPI document and a page to read and try it, which needs nothing from elsewhere. */
export async function docsRoutes(app: App): Promise<void> {
  // The same bytes for all callers: they are kept once, however many do not read them.
  let document: Buffer | undefined;
  app.route({
    method: 'GET',
    url: '/openapi.json',
    config: { access: 'public' },
    schema: { hide: true },
    async handler(_, reply) {
      takeForResponse(reply, SHARED_BYTES);
      document ??= Buffer.from(JSON.stringify(app.swagger()));
      return reply.type('application/json; charset=utf-8').send(document);
    },
  });

  app.route({
    method: 'GET',
    url: '/',
    config: { access: 'public' },
    schema: { hide: true },
    handler: async (_, reply) => reply.redirect('/docs'),
  });

  await app.register((scope: App, _, done) => {
    scope.addHook('onRequest', async (_, reply) => takeForResponse(reply, FILE_BYTES));
    // The page's own routes cannot say who may call them; everybody may.
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' };
    });
    void scope.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: true,
      // The plugin's own would ask for https, where we may listen without, and allow styles from elsewhere. The
      // page sets styles of its own elements; scripts stay strict.
      transformStaticCSP: (policy) =>
        policy
          .replace(' upgrade-insecure-requests;', '')
          .replaceAll(' https:', '')
          .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'"),
      theme: {
        title: 'Rapsheet API',
        // Its bar has another project's name and a field for other documents than ours.
        css: [{ filename: 'rapsheet.css', content: '.swagger-ui .topbar { display: none; }' }],
      },
      uiConfig: {
        url: '/openapi.json',
        deepLinking: true,
        docExpansion: 'list',
        persistAuthorization: false,
      },
    });
    done();
  });
}
