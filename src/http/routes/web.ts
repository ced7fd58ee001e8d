import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import type { App } from '../fastify-types.ts';
import { takeForResponse } from '../gate/request-memory.ts';
import { headerOf, isUnchanged } from '../requests/conditional.ts';
import { chooseEncoding } from '../web/accept-encoding.ts';
import { type BuiltFile, BuiltFiles, WEB_FOLDER } from '../web/built-files.ts';
import { contentPolicy, workerPolicy } from '../web/content-policy.ts';

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
/** Memory for a response whose bytes are shared by all clients. */
const SHARED_BYTES = 16 * 1024;

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
        reply.header('cache-control', 'no-cache');
        reply.header('content-security-policy', contentPolicy(built.inlineStyles));
        return sendFile(request, reply, { built, path: PAGE_FILE, file: page });
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
      return sendFile(request, reply, { built, path, file, cacheControl: IMMUTABLE });
    },
  });
}

interface FileToSend {
  readonly built: BuiltFiles;
  readonly path: string;
  readonly file: BuiltFile;
  readonly cacheControl?: string;
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { built, path, file, cacheControl }: FileToSend,
): Promise<FastifyReply> {
  takeForResponse(reply, SHARED_BYTES);
  const encoding = chooseEncoding(file.encodings, headerOf(request, 'accept-encoding'));
  const content = await built.read(path, encoding);
  if (content === undefined) throw new Problem('unknown_route');
  // The header for other origins, if there is one.
  const vary = reply.raw.getHeader('vary');
  reply.header('vary', [vary ?? [], 'Accept-Encoding'].flat().join(', '));
  if (cacheControl !== undefined) reply.header('cache-control', cacheControl);
  reply.header('etag', file.etag);
  if (isUnchanged(request, file.etag)) return reply.code(304).send();
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  reply.type(file.type);
  if (request.method === 'HEAD') return reply.header('content-length', content.length).send();
  return reply.send(content);
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
