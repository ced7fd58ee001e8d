import { DEFAULT_STATISTICS_DAYS } from '../../domain/reports/statistics.ts';
import { showStatistics } from '../../operations/reports/show-statistics.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { statisticsQuery } from '../requests/feed-query.ts';
import { serviceParams } from '../requests/parameters.ts';
import { presentStatistics } from '../responses/present-c2.ts';
import { refusals } from '../responses/schemas.ts';
import { feedStatistics } from '../responses/statistics/feed-schemas.ts';

const tags = ['Feeds'];
const description =
  'Reports and answers of the desk per day, the current statuses, the most frequent names, and the time from a report to its first answer. Deleted reports are not counted. Spends no quota.';

export function feedStatisticsRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'GET',
    url: '/feed/:service/statistics',
    config: { access: 'token', endsWithPermission: 'response' },
    schema: {
      summary: 'Show the statistics of a feed',
      description,
      operationId: 'feedStatistics',
      tags,
      params: serviceParams,
      querystring: statisticsQuery,
      response: { 200: feedStatistics, ...refusals(400, 401, 404, 429) },
    },
    async handler({ service: { slug }, query: { days = DEFAULT_STATISTICS_DAYS } }) {
      return presentStatistics(slug, await showStatistics(deps, slug, days));
    },
  });

  app.route({
    method: 'GET',
    url: '/feed/all/statistics',
    config: { access: 'token', endsWithPermission: 'response' },
    schema: {
      summary: 'Show the statistics of all feeds',
      description: 'Like the statistics of one feed. Spends no quota.',
      operationId: 'allStatistics',
      tags,
      querystring: statisticsQuery,
      response: { 200: feedStatistics, ...refusals(400, 401, 429) },
    },
    async handler({ query: { days = DEFAULT_STATISTICS_DAYS } }) {
      return presentStatistics('all', await showStatistics(deps, undefined, days));
    },
  });
}
