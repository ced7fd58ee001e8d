import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import type { App } from '../fastify-types.ts';
import { BuiltFiles, WEB_FOLDER } from '../web/built-files.ts';
import { contentPolicy, workerPolicy } from '../web/content-policy.ts';
import { sendFile } from '../web/send-file.ts';

/**
 * The pages of the application. All other paths are the API's: they are told apart by path alone,
 * so that a client which accepts HTML gets JSON from the API. Every page gets the same file with
 * 200: whether there is such a file, feed or report is known only after signing in, and then the
 * application says so.
 */
export const PAGES = [
  '/',
  '/welcome',
  '/sign-in',
  '/find',
  '/files/*',
  '/c2/*',
  '/hosts/*',
  '/feeds',
  '/feeds/*',
  '/reporters/*',
  '/upload',
  '/desk',
  '/desk/*',
  '/account',
  '/admin',
];

const PAGE_FILE = 'index.html';
/** The names of assets contain a hash of their content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

const ROUTE = {
  method: ['GET', 'HEAD'],
  config: { access: 'public' as const },
  schema: { hide: true },
};

/** Serves the application as `npm ci` has built it. */
export async function webRoutes(app: App, folder: URL = WEB_FOLDER): Promise<void> {
  const built = await BuiltFiles.open(folder);
  for (const url of PAGES)
    app.route({
      ...ROUTE,
      url,
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        const page = built?.find(PAGE_FILE);
        if (built === undefined || page === undefined) return sendInstructions(reply);
        reply.header('content-security-policy', contentPolicy(built.inlineStyles));
        return sendFile(request, reply, page, 'no-cache');
      },
    });

  app.route({
    ...ROUTE,
    url: '/assets/*',
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const path = `assets/${(request.params as { '*': string })['*']}`;
      const file = built?.find(path);
      if (built === undefined || file === undefined) throw new Problem('unknown_route');
      if (file.isWorker) reply.header('content-security-policy', workerPolicy(built.inlineStyles));
      return sendFile(request, reply, file, IMMUTABLE);
    },
  });
}

const INSTRUCTIONS = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rapsheet</title>
<h1>The web application is not built</h1>
<p>In the folder of the source, run <code>npm ci</code>, and start the server again.
<p>The API works without it: <a href="/docs">its reference</a>.
</html>
`;

/** Not 200, so that a monitor notices. The API does not depend on it. */
function sendInstructions(reply: FastifyReply): FastifyReply {
  return reply.code(503).type('text/html; charset=utf-8').send(INSTRUCTIONS);
}
