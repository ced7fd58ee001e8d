import swaggerUi from '@fastify/swagger-ui';
import type { RouteHandlerMethod, RouteOptions } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import type { App } from '../fastify-types.ts';
import { openReferenceFiles } from '../web/reference-files.ts';
import { REFERENCE_SCRIPT, REFERENCE_STYLE, readGuides } from '../web/reference-page.ts';
import { sendFile } from '../web/send-file.ts';
import { SharedFile } from '../web/shared-file.ts';

const PREFIX = '/docs';

/** The OpenAPI document, and a page to read and try it. The page loads nothing from other hosts. */
export async function docsRoutes(app: App): Promise<void> {
  const document = new SharedFile('application/json; charset=utf-8', async () =>
    Buffer.from(JSON.stringify(app.swagger())),
  );
  const sendDocument = senderOf(() => document);
  app.route({
    method: ['GET', 'HEAD'],
    url: '/openapi.json',
    config: { access: 'public' },
    schema: { hide: true },
    handler: sendDocument,
  });

  const guides = readGuides();
  for (const { path, text } of guides) {
    const file = new SharedFile('text/plain; charset=utf-8', async () => Buffer.from(text));
    app.route({
      method: ['GET', 'HEAD'],
      url: path,
      config: { access: 'public' },
      schema: { hide: true },
      handler: senderOf(() => file),
    });
  }

  const files = await openReferenceFiles();
  const yaml = new SharedFile('application/yaml', async () =>
    Buffer.from(app.swagger({ yaml: true })),
  );
  // The plugin would read a file, or serialize the document, for every request.
  const handlers: Readonly<Record<string, RouteHandlerMethod>> = {
    [`${PREFIX}/static/*`]: senderOf((name) => files.get(name)),
    [`${PREFIX}/json`]: sendDocument,
    [`${PREFIX}/yaml`]: senderOf(() => yaml),
  };
  await app.register((scope: App, _, done) => {
    scope.addHook('onRoute', (route) => adaptRoute(route, handlers[route.url]));
    void scope.register(swaggerUi, {
      routePrefix: PREFIX,
      staticCSP: true,
      // The plugin's policy upgrades to https, which this server may not offer, and allows styles
      // from other hosts and images from a validator of documents, which would learn the address
      // of this server. The page needs inline styles; scripts stay strict.
      transformStaticCSP: (policy) =>
        policy
          .replace(' upgrade-insecure-requests;', '')
          .replaceAll(' https:', '')
          .replace(' validator.swagger.io', '')
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
        validatorUrl: null,
      },
    });
    done();
  });
}

/** The plugin's routes declare no `access` and no HEAD. */
function adaptRoute(route: RouteOptions, handler: RouteHandlerMethod | undefined): void {
  route.config = { ...route.config, access: 'public' };
  if (route.method === 'GET') route.method = ['GET', 'HEAD'];
  if (handler !== undefined) route.handler = handler;
}

function senderOf(find: (name: string) => SharedFile | undefined): RouteHandlerMethod {
  return async (request, reply) => {
    const { '*': name = '' } = request.params as { '*'?: string };
    const file = find(name);
    if (file === undefined) throw new Problem('unknown_route');
    return sendFile(request, reply, file, 'no-cache');
  };
}
