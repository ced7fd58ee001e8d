import { parseSearchInput } from '../../domain/search-query.ts';
import { search, searchList } from '../../operations/search.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { searchListBody, searchQuery } from '../requests/search-query.ts';
import { presentHit, presentListedAnswer } from '../responses/present-search.ts';
import { refusals } from '../responses/schemas.ts';
import { found, listFound } from '../responses/search-schemas.ts';

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
      const { hits, hasMore } = await search(deps, query.q, query.limit);
      return {
        results: hits.map((hit) => presentHit(hit, deps.knownLists())),
        hasMore,
        successful: true as const,
      };
    },
  });

  app.route({
    method: 'POST',
    url: '/api/search',
    config: { access: 'token', endsWithPermission: 'response' },
    schema: {
      summary: 'Search for each line of a list',
      description:
        'Hashes, starts of hashes, C2 addresses, hosts and networks, each searched by itself; words are not. The ' +
        'answers are in the order of the lines. A line that is none of these has an error instead of results. ' +
        'Spends no quota.',
      operationId: 'searchList',
      tags: ['Feeds'],
      body: searchListBody,
      response: { 200: listFound, ...refusals(400, 401, 413, 415, 429) },
    },
    async handler({ body }) {
      const answers = await searchList(deps, body.queries.map(parseSearchInput), body.limit);
      return {
        answers: answers.map((answer, index) =>
          presentListedAnswer(body.queries[index] ?? '', answer, deps.knownLists()),
        ),
        successful: true as const,
      };
    },
  });
}
