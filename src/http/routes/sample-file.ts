import { Readable } from 'node:stream';
import type { Log } from '../../observability/log.ts';
import { downloadSample } from '../../operations/samples/download-sample.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { takeForResponse } from '../gate/request-memory.ts';
import { hashParams } from '../requests/parameters.ts';
import { encryptedZip } from '../responses/encrypted-zip.ts';
import { sampleZip } from '../responses/sample-schemas.ts';
import { refusals } from '../responses/schemas.ts';

/** Customary for exchanged samples; it only keeps scanners and careless clicks away. */
const PASSWORD = 'infected';

/** Memory for what is read and encrypted before the client reads it. */
const HELD_BYTES = 256 * 1024;

/**
 * A client that reads nothing for this long is disconnected, so that the file does not stay open.
 */
const STALLED_AFTER_MS = 60_000;

export function sampleFileRoutes(app: App, deps: HttpDependencies, log: Log): void {
  app.route({
    method: 'GET',
    url: '/private/sample/:hash/file',
    config: { access: 'researcher', endsWithPermission: 'response' },
    schema: {
      summary: 'Download a file',
      description: `In a ZIP archive with the password \`${PASSWORD}\`. Spends no quota; every download is recorded in the audit log.`,
      operationId: 'downloadSample',
      tags: ['Samples'],
      params: hashParams,
      response: { 200: sampleZip, ...refusals(400, 401, 403, 404, 429) },
      responseHeaders: { 200: ['Content-Disposition'] },
    },
    async handler({ caller, params, id }, reply) {
      takeForResponse(reply, HELD_BYTES);
      const { sha256, sizeBytes, bytes } = await downloadSample(deps, caller, params.hash);
      const zip = Readable.from(encryptedZip({ name: sha256, sizeBytes, bytes }, PASSWORD), {
        objectMode: false,
      });
      // The response has started, so it is aborted: the client sees that it is incomplete.
      zip.on('error', (err) => log.error({ err, requestId: id, sha256 }, 'a download was aborted'));
      reply.raw.setTimeout(STALLED_AFTER_MS, () => reply.raw.destroy());
      return reply
        .type('application/zip')
        .header('content-disposition', `attachment; filename="${sha256}.zip"`)
        .send(zip);
    },
  });
}
