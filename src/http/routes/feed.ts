import { createReport } from '../../operations/reports/create-report.ts';
import { deleteReport } from '../../operations/reports/delete-report.ts';
import { fetchReport } from '../../operations/reports/fetch-report.ts';
import { previewReport } from '../../operations/reports/preview-report.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { limitRate } from '../gate/rate-limit.ts';
import { QUOTA_HEADERS } from '../openapi/headers.ts';
import { problemsByField, skipValidation } from '../requests/field-rules.ts';
import { readIdempotencyKey } from '../requests/idempotency-key.ts';
import { idempotencyHeaders, reportQuery, serviceParams } from '../requests/parameters.ts';
import { createBody } from '../requests/report-fields.ts';
import { readDraft } from '../requests/report-lines.ts';
import { presentPreview } from '../responses/present-c2.ts';
import {
  reportCreated,
  reportDeleted,
  reportFetched,
  reportPreviewed,
} from '../responses/report-schemas.ts';
import { refusals } from '../responses/schemas.ts';
import { sendSerialized } from '../responses/send-response.ts';

const url = '/feed/:service/api';
const tags = ['Feeds'];

export function feedRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'POST',
    url,
    config: { access: 'researcher' },
    onRequest: limitRate(deps, 'create'),
    schema: {
      summary: 'Create a report',
      operationId: 'createReport',
      tags,
      params: serviceParams,
      headers: idempotencyHeaders,
      body: createBody(),
      response: { 201: reportCreated, ...refusals(400, 401, 403, 404, 413, 415, 422, 429) },
      responseHeaders: {
        201: ['Location', 'Idempotent-Replayed', 'X-C2-Rejected', ...QUOTA_HEADERS],
        429: QUOTA_HEADERS,
      },
    },
    // The schema depends on the confidence scale of the service, so the handler validates the body.
    validatorCompiler: skipValidation,
    async handler({ caller, service, headers, body }, reply) {
      const key = readIdempotencyKey(headers['idempotency-key']);
      const draft = readDraft(body, service.confidenceScale);
      const report = await createReport(deps, caller, service, draft, key);
      const { id, replayed, c2Rejected } = report;
      reply.code(201).header('location', `${deps.baseUrl()}/feed/${service.slug}/api?report=${id}`);
      if (replayed) reply.header('idempotent-replayed', 'true');
      if (c2Rejected) reply.header('x-c2-rejected', 'true');
      return { id, successful: true as const };
    },
  });

  app.route({
    method: 'POST',
    url: '/feed/:service/preview',
    config: { access: 'researcher' },
    schema: {
      summary: 'Preview a report',
      description:
        'The report as a create with the same body would store it now, or what the create would refuse about each member, in its words. Nothing is stored, and neither quota nor the rate of creates is spent.',
      operationId: 'previewReport',
      tags,
      params: serviceParams,
      body: createBody(),
      response: { 200: reportPreviewed, ...refusals(400, 401, 403, 404, 413, 415, 429) },
    },
    // As for a create.
    validatorCompiler: skipValidation,
    async handler({ caller, service, body }) {
      const scale = service.confidenceScale;
      const problems = problemsByField(createBody(scale), body);
      // A form asks while it is incomplete: that is an answer, not an error.
      if (problems.length > 0 && problems.every(({ field }) => field !== undefined))
        return presentPreview(undefined, problems, deps.knownLists());
      const preview = await previewReport(deps, caller, service, readDraft(body, scale));
      return presentPreview(preview, [], deps.knownLists());
    },
  });

  app.route({
    method: 'GET',
    url,
    config: { access: 'token' },
    schema: {
      summary: 'Fetch a report',
      operationId: 'fetchReport',
      tags,
      params: serviceParams,
      querystring: reportQuery,
      response: { 200: reportFetched, ...refusals(400, 401, 404, 429) },
    },
    async handler({ service, query }, reply) {
      const report = await fetchReport(deps, service, query.report);
      return sendSerialized(reply, `{"report":${report},"successful":true}`);
    },
  });

  app.route({
    method: 'DELETE',
    url,
    config: { access: 'token' },
    schema: {
      summary: 'Delete a report',
      description: 'For its creator and for owners of the feed.',
      operationId: 'deleteReport',
      tags,
      params: serviceParams,
      querystring: reportQuery,
      response: { 200: reportDeleted, ...refusals(400, 401, 403, 404, 429) },
    },
    async handler({ caller, service, query }) {
      await deleteReport(deps, caller, service, query.report);
      return { message: `Report ${query.report} was deleted.`, success: true as const };
    },
  });
}
