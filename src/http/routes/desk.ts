import { type Desk, setStatus, setStatuses } from '../../operations/reports/set-status.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { statusBody, statusesBody } from '../requests/desk-fields.ts';
import { toFilter } from '../requests/feed-query.ts';
import { reportParams, serviceParams } from '../requests/parameters.ts';
import { presentExtended } from '../responses/present.ts';
import { statusesSet, statusSet } from '../responses/report-schemas.ts';
import { refusals } from '../responses/schemas.ts';

const tags = ['Desk'];

/** Ten thousand ids and the members around them. */
const BULK_LIMIT_BYTES = 1024 * 1024;

/** The abuse desk of a service sets the status of the reports in its feed. */
export function deskRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'PATCH',
    url: '/feed/:service/reports/:id',
    config: { access: 'owner' },
    schema: {
      summary: 'Set the status of a report',
      description: 'Every transition is allowed. The reporter sees status, reason and note.',
      operationId: 'setStatus',
      tags,
      params: reportParams,
      body: statusBody,
      response: { 200: statusSet, ...refusals(400, 401, 403, 404, 413, 415, 429) },
    },
    async handler({ caller, service, params, body }) {
      const desk: Desk = { caller, service };
      const report = await setStatus(deps, desk, params.id, statusChangeOf(body));
      return {
        report: presentExtended(report, deps.knownLists(), caller),
        successful: true as const,
      };
    },
  });

  app.route({
    method: 'PATCH',
    url: '/feed/:service/reports',
    config: { access: 'owner' },
    bodyLimit: BULK_LIMIT_BYTES,
    schema: {
      summary: 'Set the status of many reports',
      description:
        'Of the reports with these ids, or of all that match the filter, which has the members of the list route. Reports that have this status already stay unchanged.',
      operationId: 'setStatuses',
      tags,
      params: serviceParams,
      body: statusesBody,
      response: { 200: statusesSet, ...refusals(400, 401, 403, 404, 413, 415, 429) },
    },
    async handler({ caller, service, body }) {
      const desk: Desk = { caller, service };
      const selection = body.ids ?? toFilter(body.filter ?? {});
      const { changed, absent } = await setStatuses(deps, desk, selection, statusChangeOf(body));
      return { changed, ...(absent.length > 0 && { absent }), successful: true as const };
    },
  });
}

function statusChangeOf({
  status,
  reason,
  note,
}: Pick<ReturnType<typeof statusBody.parse>, 'status' | 'reason' | 'note'>) {
  return { status, reason, note };
}
