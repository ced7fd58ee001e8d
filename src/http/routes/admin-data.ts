import type { Readable } from 'node:stream';
import { listAuditEntries } from '../../operations/accounts/list-audit-entries.ts';
import { purgeReport, purgeSample } from '../../operations/purge.ts';
import { importSamples, type RefusedLine } from '../../operations/samples/import-samples.ts';
import { discardUnreadBody } from '../connections/unread-body.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { whilePermitted } from '../gate/permission-watch.ts';
import { holdForResponse } from '../gate/request-memory.ts';
import { readAnalysisLines } from '../requests/analysis-lines.ts';
import { encodingRefusal } from '../requests/media-type.ts';
import { emptyBody } from '../requests/ndjson.ts';
import { auditQuery, reasonQuery, sha256Params, uuidParams } from '../requests/parameters.ts';
import { auditPage } from '../responses/account-schemas.ts';
import { presentAuditPage } from '../responses/present.ts';
import { imported } from '../responses/sample-schemas.ts';
import { done, refusals } from '../responses/schemas.ts';

const tags = ['Administration'];
const NO_REASON = 'none given';
const NDJSON = 'application/x-ndjson';
/** Memory for the lines of one group while they are parsed and stored. */
const IMPORT_BYTES = 16 * 1024 * 1024;
/** Bounds the response. The count of refused lines is complete. */
const MAX_REFUSALS = 1000;

export function adminDataRoutes(app: App, deps: HttpDependencies): void {
  app.removeContentTypeParser('application/json');
  // Streamed, because an import may be larger than the memory.
  app.addContentTypeParser(
    [NDJSON, 'application/ndjson', 'application/jsonl'],
    (request, payload, done) => done(encodingRefusal(request) ?? null, payload),
  );

  app.route({
    method: 'POST',
    url: '/admin/samples',
    config: { access: 'admin', bodyType: NDJSON, endsWithPermission: 'body' },
    bodyLimit: Number.MAX_SAFE_INTEGER,
    schema: {
      summary: 'Import finished analysis reports',
      description:
        'NDJSON, one AnalysisReport per line. A refused line does not affect the others; reports that are stored already count as unchanged.',
      operationId: 'importSamples',
      tags,
      consumes: [NDJSON],
      response: { 200: imported, ...refusals(400, 401, 403, 415, 429) },
    },
    async handler({ caller, body, permission, server }, reply) {
      holdForResponse(reply, server.memory.take('bodies', IMPORT_BYTES));
      const refusals: RefusedLine[] = [];
      const sent = body as Readable | undefined;
      const arriving = sent && permission ? whilePermitted(sent, permission.signal) : sent;
      const lines = readAnalysisLines(arriving ?? emptyStream());
      const first = await lines.next();
      if (first.done) throw emptyBody();
      const tally = await importSamples(
        deps,
        { actor: caller.name, at: deps.now() },
        startingWith(first.value, lines),
        {
          refused: (line) => void (refusals.length < MAX_REFUSALS && refusals.push(line)),
          authority: caller,
        },
      );
      return { ...tally, refusals, successful: true as const };
    },
    onResponse: (request, _, done) => {
      discardUnreadBody(request.raw);
      done();
    },
  });

  app.route({
    method: 'DELETE',
    url: '/admin/samples/:sha256',
    config: { access: 'admin' },
    schema: {
      summary: 'Remove a file and its analysis report',
      description: 'For legal requests and mistakes. A tombstone and the reason are kept.',
      operationId: 'purgeSample',
      tags,
      params: sha256Params,
      querystring: reasonQuery,
      response: { 200: done, ...refusals(400, 401, 403, 404, 429) },
    },
    async handler({ caller, params, query }) {
      await purgeSample(
        deps,
        { actor: caller.name, at: deps.now() },
        params.sha256,
        query.reason ?? NO_REASON,
      );
      return {
        message: `The analysis report of ${params.sha256} was removed.`,
        successful: true as const,
      };
    },
  });

  app.route({
    method: 'DELETE',
    url: '/admin/reports/:id',
    config: { access: 'admin' },
    schema: {
      summary: 'Remove a report from its feed',
      description: 'For legal requests and mistakes. A tombstone and the reason are kept.',
      operationId: 'purgeReport',
      tags,
      params: uuidParams,
      querystring: reasonQuery,
      response: { 200: done, ...refusals(400, 401, 403, 404, 429) },
    },
    async handler({ caller, params, query }) {
      await purgeReport(
        deps,
        { actor: caller.name, at: deps.now() },
        params.id,
        query.reason ?? NO_REASON,
      );
      return { message: `Report ${params.id} was removed.`, successful: true as const };
    },
  });

  app.route({
    method: 'GET',
    url: '/admin/audit',
    config: { access: 'admin' },
    schema: {
      summary: 'List the administrative actions, newest first',
      operationId: 'audit',
      tags,
      description:
        'A call with a filter reads at most 2000 entries: a page may have fewer entries than `limit`, or none, while `nextBefore` is not null.',
      querystring: auditQuery,
      response: { 200: auditPage, ...refusals(400, 401, 403, 429) },
    },
    handler: async ({ query }) => presentAuditPage(await listAuditEntries(deps, query)),
  });
}

async function* startingWith<Line>(first: Line, others: AsyncIterable<Line>): AsyncGenerator<Line> {
  yield first;
  yield* others;
}

async function* emptyStream(): AsyncGenerator<Uint8Array> {}
