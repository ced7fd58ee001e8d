import { readFile } from 'node:fs/promises';
import type { App } from '../fastify-types.ts';
import { contentPolicy } from '../web/content-policy.ts';
import type { ReferenceDocument } from '../web/reference/document.ts';
import { readGuides } from '../web/reference/guides.ts';
import { referencePage } from '../web/reference/page.ts';
import { sendFile } from '../web/send-file.ts';
import { SharedFile } from '../web/shared-file.ts';

const PREFIX = '/docs';

const FOLDER = new URL('../web/reference/', import.meta.url);

/**
 * Written by `npm run generate`: building it takes 0.4 s, in which no other request is answered.
 * It lies next to `src`, in the installed package too.
 */
const DOCUMENT = new URL('../../../docs/openapi.json', import.meta.url);

const POLICY = contentPolicy([]);

/** The OpenAPI document, and a page to read it. The page loads nothing from other hosts. */
export function docsRoutes(app: App): void {
  const guides = readGuides();
  const document = new SharedFile('application/json; charset=utf-8', () => readFile(DOCUMENT));
  const files: Readonly<Record<string, SharedFile>> = {
    '/openapi.json': document,
    [`${PREFIX}/json`]: document,
    // Any JSON text is YAML.
    [`${PREFIX}/yaml`]: new SharedFile('application/yaml', () => readFile(DOCUMENT)),
    // Made at its first request.
    [PREFIX]: new SharedFile('text/html; charset=utf-8', async () =>
      Buffer.from(await referencePage(await readDocument(), guides)),
    ),
    [`${PREFIX}/static/reference.css`]: fileOf('reference.css', 'text/css'),
    [`${PREFIX}/static/operations.css`]: fileOf('operations.css', 'text/css'),
    [`${PREFIX}/static/reference.js`]: fileOf('reference.browser.js', 'text/javascript'),
    ...Object.fromEntries(
      guides.map(({ path, text }) => [
        path,
        new SharedFile('text/plain; charset=utf-8', async () => Buffer.from(text)),
      ]),
    ),
  };
  for (const [url, file] of Object.entries(files))
    app.route({
      method: ['GET', 'HEAD'],
      url,
      config: { access: 'public' },
      schema: { hide: true },
      handler: (request, reply) => {
        if (url === PREFIX) reply.header('content-security-policy', POLICY);
        return sendFile(request, reply, file, 'no-cache');
      },
    });
}

async function readDocument(): Promise<ReferenceDocument> {
  return JSON.parse(await readFile(DOCUMENT, 'utf8'));
}

function fileOf(name: string, type: string): SharedFile {
  return new SharedFile(`${type}; charset=utf-8`, () => readFile(new URL(name, FOLDER)));
}
