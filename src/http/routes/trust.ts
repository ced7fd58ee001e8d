import { MAX_STATISTICS_DAYS } from '../../domain/reports/statistics.ts';
import { showReporter } from '../../operations/trust/show-reporter.ts';
import { showScorecard } from '../../operations/trust/show-scorecard.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { scorecardQuery } from '../requests/feed-query.ts';
import { reporterParams, serviceParams } from '../requests/parameters.ts';
import { refusals } from '../responses/schemas.ts';
import { presentReporter, presentScorecard } from '../responses/statistics/present-trust.ts';
import { reporterStatistics, serviceStatistics } from '../responses/statistics/trust-schemas.ts';

const tags = ['Trust'];

/** How good the reports of a reporter are, and how a service deals with its reports. */
export function trustRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'GET',
    url: '/api/statistics/reporters/:name',
    config: { access: 'token' },
    schema: {
      summary: 'Show the outcomes of the reports of a reporter',
      description:
        'In total and by feed: what the desks answered, what the files confirm, and the precision with its interval. Deleted reports are counted in the precision alone. Spends no quota.',
      operationId: 'reporterStatistics',
      tags,
      params: reporterParams,
      response: { 200: reporterStatistics, ...refusals(401, 404, 429) },
    },
    handler: async ({ caller, params: { name } }) =>
      presentReporter(await showReporter(deps, caller, name)),
  });

  app.route({
    method: 'GET',
    url: '/api/statistics/services/:service',
    config: { access: 'token' },
    schema: {
      summary: 'Show how a service deals with its reports',
      description:
        'Its backlog, about how long it took to acknowledge and to act, and reports of what it had taken down before. Deleted reports are not counted. Spends no quota.',
      operationId: 'serviceStatistics',
      tags,
      params: serviceParams,
      querystring: scorecardQuery,
      response: { 200: serviceStatistics, ...refusals(400, 401, 404, 429) },
    },
    async handler({ service: { slug }, query: { days = MAX_STATISTICS_DAYS } }) {
      return presentScorecard(slug, await showScorecard(deps, slug, days));
    },
  });
}
