import swaggerUi from '@fastify/swagger-ui';
import type { App } from '../fastify-types.ts';
import { takeForResponse } from '../gate/request-memory.ts';
import { REFERENCE_SCRIPT, REFERENCE_STYLE, readGuides } from '../web/reference-page.ts';

/** Memory for what is read of a file before the client reads it. */
const FILE_BYTES = 192 * 1024;
/** Memory for a response whose bytes are shared by all clients. */
const SHARED_BYTES = 16 * 1024;

/** The OpenAPI document, and a page to read and try it. The page loads nothing from other hosts. */
export async function docsRoutes(app: App): Promise<void> {
  // Serialized once and shared by all responses.
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

  const guides = readGuides();
  for (const { path, text } of guides)
    app.route({
      method: 'GET',
      url: path,
      config: { access: 'public' },
      schema: { hide: true },
      async handler(_, reply) {
        takeForResponse(reply, SHARED_BYTES);
        return reply.type('text/plain; charset=utf-8').send(text);
      },
    });

  await app.register((scope: App, _, done) => {
    scope.addHook('onRequest', async (_, reply) => takeForResponse(reply, FILE_BYTES));
    // The plugin's routes do not declare `access`.
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' };
    });
    void scope.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: true,
      // The plugin's policy upgrades to https, which this server may not offer, and allows styles
      // from other hosts. The page needs inline styles; scripts stay strict.
      transformStaticCSP: (policy) =>
        policy
          .replace(' upgrade-insecure-requests;', '')
          .replaceAll(' https:', '')
          .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'"),
      theme: {
        title: 'Rapsheet API',
        css: [{ filename: 'rapsheet.css', content: REFERENCE_STYLE }],
        js: [
          {
            filename: 'guides.js',
            content: `window.rapsheetGuides = ${JSON.stringify(guides.map(({ title, path }) => ({ title, path })))};`,
          },
          { filename: 'rapsheet.js', content: REFERENCE_SCRIPT },
        ],
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
