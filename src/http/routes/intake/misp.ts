import { z } from 'zod';
import { formatC2Address } from '../../../domain/reports/c2-address.ts';
import type { Log } from '../../../observability/log.ts';
import { createReports, type LineResult } from '../../../operations/reports/create-reports.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import type { App } from '../../fastify-types.ts';
import { checkBatchRate, paceBatch } from '../../gate/rate-limit.ts';
import { QUOTA_HEADERS } from '../../openapi/headers.ts';
import { awaitBodyTurn } from '../../requests/body-turns.ts';
import { listOf } from '../../requests/bounded-list.ts';
import { skipValidation } from '../../requests/field-rules.ts';
import { readIdempotencyKey } from '../../requests/idempotency-key.ts';
import { type MispLine, readMisp } from '../../requests/intake/misp-drafts.ts';
import { MAX_ITEMS, MAX_NAMES, MAX_REPORTS } from '../../requests/intake/misp-event.ts';
import { MAX_DOCUMENT_VALUES } from '../../requests/json-bounds.ts';
import { idempotencyHeaders, serviceParams } from '../../requests/parameters.ts';
import { BatchResponse, writeResults } from '../../responses/batch-response.ts';
import { eventResults } from '../../responses/batch-schemas.ts';
import { refusals } from '../../responses/schemas.ts';

/** An event of this program with as many reports as it may have. */
const BODY_LIMIT_BYTES = 3 * 1024 * 1024;
/** Reports that share a transaction. */
const GROUP_SIZE = 20;

const list = (max: number) => listOf(z.looseObject({}), { max }).optional();

const eventBody = z
  .looseObject({
    Event: z
      .looseObject({
        uuid: z.string().optional(),
        Tag: list(MAX_NAMES).meta({
          description: 'Tags of all reports, and `misp:confidence-level`',
        }),
        Attribute: list(MAX_ITEMS).meta({
          description: 'C2s (`ip-dst|port`, `hostname|port`), files (`sha256`) and a `link`',
        }),
        Object: list(MAX_ITEMS).meta({
          description: 'Objects with a host and a `dst-port`, or with a `sha256`',
        }),
      })
      .optional()
      .meta({ description: 'Absent, the body itself is the event' }),
  })
  .meta({ id: 'MispEventBody', description: 'A MISP event; other members are ignored' });

export function mispEventRoutes(app: App, deps: HttpDependencies, log: Log): void {
  app.route({
    method: 'POST',
    url: '/feed/:service/misp',
    config: { access: 'researcher', maxValues: MAX_DOCUMENT_VALUES },
    bodyLimit: BODY_LIMIT_BYTES,
    onRequest: checkBatchRate(deps, 'create'),
    schema: {
      summary: 'Create reports from a MISP event',
      description: `One event, as MISP exports it, with at most ${MAX_REPORTS} reports. A report is a C2 (\`ip-dst|port\`, \`ip-src|port\`, \`hostname|port\`, \`domain|port\`, or an object with a host and a \`dst-port\`) and a file (\`sha256\`, \`filename|sha256\`). The files of a C2 are those of its object; else those of objects with a reference from or to it; else those of the event, if it has one C2 or one file. An event that leaves this open is refused with 422, and nothing is stored. Attributes that are deleted or have \`to_ids\` false are skipped. The same attributes, sent again within 24 hours, create no second report, unless the request has another \`Idempotency-Key\`. Each report counts for the rate limit of creates; within an event, reports are accepted more slowly when it is exhausted. The response has one line for each report.`,
      operationId: 'createFromMisp',
      tags: ['Feeds'],
      params: serviceParams,
      headers: idempotencyHeaders,
      body: eventBody,
      response: { 200: eventResults, ...refusals(400, 401, 403, 404, 413, 415, 422, 429) },
      responseHeaders: { 200: QUOTA_HEADERS, 429: QUOTA_HEADERS },
    },
    // The handler reads the body: it may also be the event itself.
    validatorCompiler: skipValidation,
    async handler({ caller, service, headers, body, id: requestId }, reply) {
      const retryKey = readIdempotencyKey(headers['idempotency-key']);
      // Reading a long event takes as long as parsing it.
      await awaitBodyTurn(Number(headers['content-length'] ?? BODY_LIMIT_BYTES));
      const lines = readMisp(body, service.confidenceScale);
      const disconnected = new AbortController();
      reply.raw.once('close', () => disconnected.abort());
      const groups = paceBatch(
        inGroups(lines, retryKey !== undefined),
        deps.rates.create,
        caller,
        disconnected.signal,
      );
      const batch = { caller, service, groups, retryKey, call: 'misp' } as const;
      const results = createReports(deps, batch);
      // Until the first result, an error can still be answered with its status.
      const first = await results.next();
      const response = new BatchResponse(app.memory, caller.accountId);
      response.on('error', (err) => log.error({ err, requestId }, 'a batch was aborted'));
      void writeResults(response, first.value ?? [], results, (result) => toLine(lines, result));
      return reply.type('application/x-ndjson').send(response);
    },
  });
}

/** A key of the request takes precedence over those of the attributes. */
async function* inGroups(
  lines: readonly MispLine[],
  hasKey: boolean,
): AsyncGenerator<readonly MispLine[]> {
  const sent = hasKey ? lines.map(({ line, draft }) => ({ line, draft })) : lines;
  for (let start = 0; start < sent.length; start += GROUP_SIZE)
    yield sent.slice(start, start + GROUP_SIZE);
}

function toLine(lines: readonly MispLine[], result: LineResult): string {
  const sent = lines[result.line - 1];
  if (sent === undefined) throw new Error('the result of a report that was not sent');
  const { line, draft } = sent;
  const report = { line, c2Address: formatC2Address(draft.c2), file256Hash: draft.sha256 };
  return `${JSON.stringify({ ...report, ...outcomeOf(result) })}\n`;
}

function outcomeOf(result: LineResult) {
  if ('problem' in result) {
    const { message: error, code } = result.problem;
    return { error, code, successful: false };
  }
  const { id, replayed, c2Rejected } = result;
  return {
    id,
    ...(replayed && { replayed: true as const }),
    ...(c2Rejected && { c2Rejected: true as const }),
    successful: true,
  };
}
