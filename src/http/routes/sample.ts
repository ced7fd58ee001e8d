import { lookUpDetails, lookUpReportAndDetails } from '../../operations/samples/look-up-details.ts';
import { lookUpSample } from '../../operations/samples/look-up-sample.ts';
import { lookUpSamples } from '../../operations/samples/look-up-samples.ts';
import { sampleStatus } from '../../operations/samples/sample-status.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { reserveForResponse, takeForResponse } from '../gate/request-memory.ts';
import { LOOKUP_HEADERS } from '../openapi/headers.ts';
import { skipValidation } from '../requests/field-rules.ts';
import {
  compileQueryValidator,
  detailsQuery,
  hashesBody,
  hashParams,
  MAX_BATCH,
} from '../requests/parameters.ts';
import {
  batchChunks,
  presentStatus,
  quotaHeaders,
  wrapDetails,
  wrapReportAndDetails,
} from '../responses/present.ts';
import {
  analysis,
  detailsOrBothFound,
  foundSamples,
  sampleState,
} from '../responses/sample-schemas.ts';
import { refusals } from '../responses/schemas.ts';
import { sendSerialized, sendStream } from '../responses/send-response.ts';

const tags = ['Samples'];

/** Lookups by file hash. */
export function sampleRoutes(app: App, deps: HttpDependencies): void {
  const { memory } = app;
  app.route({
    method: 'GET',
    url: '/private/sample/:hash',
    config: { access: 'token', charges: true },
    schema: {
      summary: 'Look up the analysis report of a file',
      description:
        'Every request spends one unit of the quota, even if the file is not found. While the file is being analysed, the status is 404 with the code `analysis_pending`.',
      operationId: 'lookUp',
      tags,
      params: hashParams,
      response: { 200: analysis, ...refusals(400, 401, 404, 429) },
      responseHeaders: LOOKUP_HEADERS,
    },
    validatorCompiler: skipValidation,
    async handler({ caller, params }, reply) {
      // A caller that leaves a quarter of the budget unread must read first.
      if (!memory.hasShareLeft(caller.accountId)) throw memory.refusal('answers');
      const { body, quota } = await lookUpSample(deps, caller, params.hash, (bytes) =>
        reserveForResponse(reply, bytes, caller.accountId),
      );
      deps.metrics.units.served.inc();
      reply.headers(quotaHeaders(quota, deps.now()));
      return sendSerialized(reply, body);
    },
  });

  app.route({
    method: 'GET',
    url: '/private/sample/:hash/details',
    config: { access: 'token', charges: true },
    schema: {
      summary: 'Look up the evidence behind the report of a file',
      description:
        'Evidence for each tag, indicators, and what the parsers read. Spends one unit of the quota, like a lookup, even with `report=true`. Imported reports have no details.',
      operationId: 'details',
      tags,
      params: hashParams,
      querystring: detailsQuery,
      response: { 200: detailsOrBothFound, ...refusals(400, 401, 404, 429) },
      responseHeaders: LOOKUP_HEADERS,
    },
    validatorCompiler: compileQueryValidator,
    async handler({ caller, params, query }, reply) {
      const take = (bytes: number) => takeForResponse(reply, bytes);
      if (query.report === 'true') {
        const reserve = (bytes: number) => reserveForResponse(reply, bytes, caller.accountId);
        const memories = { take, reserve };
        const found = await lookUpReportAndDetails(deps, caller, params.hash, memories);
        deps.metrics.units.served.inc();
        reply.headers(quotaHeaders(found.quota, deps.now()));
        return sendSerialized(reply, wrapReportAndDetails(found.body, found.details));
      }
      const { body, quota } = await lookUpDetails(deps, caller, params.hash, take);
      deps.metrics.units.served.inc();
      reply.headers(quotaHeaders(quota, deps.now()));
      return sendSerialized(reply, wrapDetails(body));
    },
  });

  app.route({
    method: 'GET',
    url: '/private/sample/:hash/status',
    config: { access: 'token' },
    schema: {
      summary: 'Show the state of the analysis of a file',
      description: 'Spends no quota, and reveals nothing about the file.',
      operationId: 'sampleStatus',
      tags,
      params: hashParams,
      response: { 200: sampleState, ...refusals(400, 401, 429) },
    },
    handler: async ({ params }) => presentStatus(await sampleStatus(deps, params.hash)),
  });

  app.route({
    method: 'POST',
    url: '/private/samples',
    config: { access: 'token', charges: true, endsWithPermission: 'response' },
    schema: {
      summary: `Look up at most ${MAX_BATCH} files at once`,
      description:
        'Each hash spends one unit of the quota, like a lookup. If too few units are left for all of them, the status is 429 and none is spent.',
      operationId: 'lookUpMany',
      tags,
      body: hashesBody,
      response: { 200: foundSamples, ...refusals(400, 401, 413, 415, 429) },
      responseHeaders: { 200: LOOKUP_HEADERS[200], 429: LOOKUP_HEADERS[429] },
    },
    async handler({ caller, body }, reply) {
      // Checked before the call is charged.
      memory.admit('answers', caller.accountId);
      const { results, quota, readLarge } = await lookUpSamples(deps, caller, body.hashes);
      deps.metrics.units.served.inc(results.length);
      reply.headers(quotaHeaders(quota, deps.now()));
      const largest = Math.max(...results.map(({ large }) => large?.sizeBytes ?? 0));
      const chunks = batchChunks(results, readLarge);
      if (largest === 0) return sendSerialized(reply, await text(chunks));
      // One copy is unread in the connection, another is read from the store.
      await reserveForResponse(reply, largest * 2, caller.accountId);
      return sendStream(reply, 'application/json; charset=utf-8', chunks);
    },
  });
}

async function text(chunks: AsyncIterable<string>): Promise<string> {
  let whole = '';
  for await (const chunk of chunks) whole += chunk;
  return whole;
}
