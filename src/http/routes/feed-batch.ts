import { Readable } from 'node:stream';
import type { Log } from '../../observability/log.ts';
import { createReports, type LineResult } from '../../operations/reports/create-reports.ts';
import { discardUnreadBody } from '../connections/unread-body.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { AccountSlots, releaseWith } from '../gate/account-slots.ts';
import { whilePermitted } from '../gate/permission-watch.ts';
import { checkBatchRate, paceBatch } from '../gate/rate-limit.ts';
import { holdForBody } from '../gate/request-memory.ts';
import { QUOTA_HEADERS } from '../openapi/headers.ts';
import { readIdempotencyKey } from '../requests/idempotency-key.ts';
import { encodingRefusal } from '../requests/media-type.ts';
import { emptyBody } from '../requests/ndjson.ts';
import { idempotencyHeaders, serviceParams } from '../requests/parameters.ts';
import {
  batchTooLarge,
  MAX_BATCH_BYTES,
  MAX_LINES,
  readReportLines,
} from '../requests/report-lines.ts';
import { BatchDuration } from '../responses/batch-duration.ts';
import { BatchResponse, writeResults } from '../responses/batch-response.ts';
import { batchResults } from '../responses/batch-schemas.ts';
import { refusals } from '../responses/schemas.ts';

const NDJSON = 'application/x-ndjson';
/** Memory for the lines that are being read, parsed and stored. */
const HELD_BYTES = 512 * 1024;

/** Must be registered in its own scope, because only these routes accept NDJSON. */
export function feedBatchRoutes(app: App, deps: HttpDependencies, log: Log): void {
  const slots = new AccountSlots(deps.accountLimits.uploads, 'too_many_uploads');
  app.removeAllContentTypeParsers();
  // Streamed, because reports are stored while the body still arrives.
  app.addContentTypeParser(
    [NDJSON, 'application/ndjson', 'application/jsonl'],
    (request, payload, done) => done(encodingRefusal(request) ?? null, payload),
  );

  app.route({
    method: 'POST',
    url: '/feed/:service/reports',
    config: { access: 'researcher', bodyType: NDJSON, endsWithPermission: 'body' },
    onRequest: checkBatchRate(deps, 'create'),
    bodyLimit: Number.MAX_SAFE_INTEGER,
    schema: {
      summary: 'Create many reports',
      description: `NDJSON, one report per line as for a single create, at most ${MAX_LINES} lines. Each line counts for the rate limit of creates: if it is exhausted before the batch, the status is 429; within the batch, lines are accepted more slowly: \`X-Batch-Rate\` a second, once the remaining units of \`RateLimit\` are used. \`X-Batch-Seconds\` tells before the first line how long that takes. The response has one line for each, in order; a refused line does not affect the others. If the permission of the caller is revoked meanwhile, the next line is refused with the reason and is the last: earlier lines stay stored, later ones are not read. With an \`Idempotency-Key\` an interrupted batch can be sent again: lines that were stored before are not stored twice.`,
      operationId: 'createReports',
      tags: ['Feeds'],
      consumes: [NDJSON],
      params: serviceParams,
      headers: idempotencyHeaders,
      response: { 200: batchResults, ...refusals(400, 401, 403, 404, 413, 415, 429) },
      responseHeaders: {
        200: [...QUOTA_HEADERS, 'X-Batch-Rate', 'X-Batch-Seconds'],
        429: QUOTA_HEADERS,
      },
    },
    preParsing: (request, reply, payload, done) => {
      const isTooLarge = Number(request.headers['content-length']) > MAX_BATCH_BYTES;
      const refusal = isTooLarge
        ? batchTooLarge()
        : (slots.refusal(request.caller.accountId) ?? holdForBody(reply, 'bodies', HELD_BYTES));
      done(refusal ?? null, payload);
    },
    async handler({ caller, service, headers, body, id: requestId, permission }, reply) {
      const retryKey = readIdempotencyKey(headers['idempotency-key']);
      const sent = (body as Readable | undefined) ?? Readable.from([]);
      const stream = permission === undefined ? sent : whilePermitted(sent, permission.signal);
      releaseWith(reply.raw, slots.take(caller.accountId));
      const disconnected = new AbortController();
      reply.raw.once('close', () => disconnected.abort());
      const duration = new BatchDuration(deps.rates.create, caller, headers['content-length']);
      const groups = paceBatch(
        readReportLines(duration.measure(stream), service.confidenceScale),
        deps.rates.create,
        caller,
        disconnected.signal,
      );
      const results = createReports(deps, { caller, service, groups, retryKey });
      // Until the first result, an error can still be answered with its status.
      const first = await results.next();
      if (first.done) throw emptyBody();
      const response = new BatchResponse(app.memory, caller.accountId);
      response.on('error', (err) => {
        if (!sent.errored) log.error({ err, requestId }, 'a batch was aborted');
      });
      void writeResults(response, first.value, results, toLine);
      reply.headers(duration.headers);
      return reply.type(NDJSON).send(response);
    },
    onResponse: (request, _, done) => {
      discardUnreadBody(request.raw);
      done();
    },
  });
}

/** Nearly all lines have only an id, which needs no escaping. */
function toLine(result: LineResult): string {
  const { line } = result;
  if ('problem' in result) {
    const { message: error, code } = result.problem;
    return `${JSON.stringify({ line, error, code, successful: false })}\n`;
  }
  const { id, replayed, c2Rejected } = result;
  const hints = `${replayed ? ',"replayed":true' : ''}${c2Rejected ? ',"c2Rejected":true' : ''}`;
  return `{"line":${line},"id":"${id}"${hints},"successful":true}\n`;
}
