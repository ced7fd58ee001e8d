import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import type { App } from '../fastify-types.ts';
import {
  type BuiltFile,
  type BuiltFiles,
  chooseEncoding,
  readBuiltFile,
  readBuiltFiles,
  WEB_FOLDER,
} from '../web/built-files.ts';
import { contentPolicy, workerPolicy } from '../web/content-policy.ts';

/**
 * The pages of the application. All other paths are the API's: they are told apart by path alone,
 * so that a client which accepts HTML gets JSON from the API.
 */
const PAGES = [
  '/',
  '/welcome',
  '/sign-in',
  '/find',
  '/files/*',
  '/c2/*',
  '/hosts/*',
  '/feeds',
  '/feeds/*',
  '/upload',
  '/desk',
  '/desk/*',
  '/account',
  '/admin',
];

const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Serves the application as `npm ci` has built it. */
export async function webRoutes(app: App, folder: URL = WEB_FOLDER): Promise<void> {
  const built = await readBuiltFiles(folder);
  const page = built?.files['index.html'];
  for (const url of PAGES) {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      config: { access: 'public' },
      schema: { hide: true },
      handler: async (request, reply) => {
        if (built === undefined || page === undefined) return sendInstructions(reply);
        reply.header('cache-control', 'no-cache');
        reply.header('content-security-policy', contentPolicy(built.inlineStyles));
        return sendFile(request, reply, { folder, path: 'index.html', file: page });
      },
    });
  }

  app.route({
    method: ['GET', 'HEAD'],
    url: '/assets/*',
    config: { access: 'public' },
    schema: { hide: true },
    handler: async (request, reply) => {
      const path = `assets/${(request.params as { '*': string })['*']}`;
      const file = fileAt(built, path);
      if (built === undefined || file === undefined) throw new Problem('unknown_route');
      reply.header('cache-control', IMMUTABLE);
      // A content policy applies to documents and workers; on other files it has no effect.
      reply.header('content-security-policy', workerPolicy(built.inlineStyles));
      return sendFile(request, reply, { folder, path, file });
    },
  });
}

/** Only listed files are served, so no path can leave the folder. */
function fileAt(built: BuiltFiles | undefined, path: string): BuiltFile | undefined {
  return built !== undefined && Object.hasOwn(built.files, path) ? built.files[path] : undefined;
}

interface FileToSend {
  readonly folder: URL;
  readonly path: string;
  readonly file: BuiltFile;
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { folder, path, file }: FileToSend,
): Promise<FastifyReply> {
  reply.header('vary', 'accept-encoding').header('etag', file.etag).type(file.type);
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  const encoding = chooseEncoding(file, request.headers['accept-encoding']);
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  const content = await readBuiltFile(folder, path, encoding);
  return reply.send(content);
}

const INSTRUCTIONS = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Rapsheet</title>
<h1>The web application is not built</h1>
<p>In the folder of the source, run <code>npm ci</code>, and start the server again. The API works:
<a href="/docs">its reference</a>.</p>
</html>
`;

function sendInstructions(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(INSTRUCTIONS);
}
