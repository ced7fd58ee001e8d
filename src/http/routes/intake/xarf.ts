import { z } from 'zod';
import { MAX_TAG_LENGTH, MAX_TAGS } from '../../../domain/reports/report.ts';
import { createReport } from '../../../operations/reports/create-report.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import type { App } from '../../fastify-types.ts';
import { limitRate } from '../../gate/rate-limit.ts';
import { QUOTA_HEADERS } from '../../openapi/headers.ts';
import {
  HOST_OR_C2_INPUT,
  PLAIN_HOST,
  REFERENCE,
  UUID,
  visible,
} from '../../openapi/text-formats.ts';
import { listOf } from '../../requests/bounded-list.ts';
import { readIdempotencyKey } from '../../requests/idempotency-key.ts';
import { readXarf } from '../../requests/intake/xarf-body.ts';
import { idempotencyHeaders, serviceParams } from '../../requests/parameters.ts';
import { reportCreated } from '../../responses/report-schemas.ts';
import { refusals } from '../../responses/schemas.ts';

/**
 * XARF allows 15 MB of evidence, which is not stored. Parsing a body of this size takes some 5 ms.
 */
const BODY_LIMIT_BYTES = 1024 * 1024;

const xarfBody = z
  .looseObject({
    xarf_version: z
      .string()
      .meta({ description: 'A version 4', pattern: '^4\\.\\d{1,4}\\.\\d{1,4}$' }),
    report_id: z
      .string()
      .optional()
      .meta({
        description: 'A UUID. Unless there is an Idempotency-Key, a repetition creates nothing',
        ...UUID,
      }),
    source_identifier: z.string().meta({ description: 'The host of the C2', ...PLAIN_HOST }),
    source_port: z.int().min(1).max(65_535).meta({ description: 'The port of the C2' }),
    category: z.literal('infrastructure'),
    type: z.literal('botnet'),
    c2_server: z
      .string()
      .optional()
      .meta({
        description: 'The same host, or "<host>:<port>" of a C2 that is not the source',
        ...HOST_OR_C2_INPUT,
      }),
    hash: z.string().optional().meta({
      description:
        '"sha256:" and the SHA-256 of the file. Absent, an item of evidence that is a file must have it',
      pattern: '^(?:[Ss][Hh][Aa]-?256:)?[0-9A-Fa-f]{64}$',
    }),
    malware_family: z
      .string()
      .optional()
      .meta({ description: 'Becomes the first tag', ...visible(MAX_TAG_LENGTH) }),
    tags: listOf(z.string().meta(visible(MAX_TAG_LENGTH)), { max: MAX_TAGS - 1 }).optional(),
    confidence: z.number().min(0).max(1).optional(),
    reference: z
      .string()
      .optional()
      .meta({ description: 'An http or https URL', ...REFERENCE }),
  })
  .meta({
    id: 'XarfReport',
    description: 'A botnet report in XARF 4; the other members of XARF are ignored',
  });

export function xarfRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'POST',
    url: '/feed/:service/xarf',
    config: { access: 'researcher' },
    bodyLimit: BODY_LIMIT_BYTES,
    onRequest: limitRate(deps, 'create'),
    schema: {
      summary: 'Create a report from XARF',
      description:
        'A botnet report in XARF 4, or in XARF 3 with a top-level `Version`. Evidence payloads and `_internal` are not stored.',
      operationId: 'createFromXarf',
      tags: ['Feeds'],
      params: serviceParams,
      headers: idempotencyHeaders,
      body: xarfBody,
      response: { 201: reportCreated, ...refusals(400, 401, 403, 404, 413, 415, 422, 429) },
      responseHeaders: {
        201: ['Location', 'Idempotent-Replayed', 'X-C2-Rejected', ...QUOTA_HEADERS],
        429: QUOTA_HEADERS,
      },
    },
    // The handler validates the body: it may have another version and other member names.
    validatorCompiler: () => (value: unknown) => ({ value }),
    async handler({ caller, service, headers, body }, reply) {
      const { draft, id: xarfId } = readXarf(body, service.confidenceScale);
      const key = readIdempotencyKey(headers['idempotency-key']) ?? xarfId;
      const report = await createReport(deps, caller, service, draft, key, 'xarf');
      const { id, replayed, c2Rejected } = report;
      if (replayed) reply.header('idempotent-replayed', 'true');
      if (c2Rejected) reply.header('x-c2-rejected', 'true');
      return reply
        .code(201)
        .header('location', `${deps.baseUrl()}/feed/${service.slug}/api?report=${id}`)
        .send({ id, successful: true as const });
    },
  });
}
