import { search } from '../../operations/search.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { searchQuery } from '../requests/search-query.ts';
import { presentHit } from '../responses/present.ts';
import { refusals } from '../responses/schemas.ts';
import { found } from '../responses/search-schemas.ts';

export function searchRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'GET',
    url: '/api/search',
    config: { access: 'token', endsWithPermission: 'response' },
    schema: {
      summary: 'Search all feeds and all samples',
      description:
        'Exact matches come first, then partial ones, each newest first. Spends no quota: of a sample it returns only ' +
        'the SHA-256, the name and the tags with the highest heat; a lookup returns the report.',
      operationId: 'search',
      tags: ['Feeds'],
      querystring: searchQuery,
      response: { 200: found, ...refusals(400, 401, 429) },
    },
    async handler({ query }) {
      const hits = await search(deps, query.q, query.limit);
      return { results: hits.map(presentHit), successful: true as const };
    },
  });
}
