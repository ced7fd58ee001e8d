import { findSimilar, findSimilarToSsdeep } from '../../operations/samples/find-similar.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { LOOKUP_HEADERS } from '../openapi/headers.ts';
import { skipValidation } from '../requests/field-rules.ts';
import { hashParams, ssdeepQuery } from '../requests/parameters.ts';
import { presentSimilar, quotaHeaders } from '../responses/present.ts';
import { similarSamples } from '../responses/sample-schemas.ts';
import { refusals } from '../responses/schemas.ts';

const tags = ['Samples'];

/** Similar files by fuzzy hash. */
export function similarRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'GET',
    url: '/private/similar/:hash',
    config: { access: 'token', charges: true },
    schema: {
      summary: 'Find files that are similar to a known one',
      description: 'Every request spends one unit of the quota, even if nothing is found.',
      operationId: 'similar',
      tags,
      params: hashParams,
      response: { 200: similarSamples, ...refusals(400, 401, 404, 429) },
      responseHeaders: LOOKUP_HEADERS,
    },
    validatorCompiler: skipValidation,
    async handler({ caller, params }, reply) {
      const { similar, quota } = await findSimilar(deps, caller, params.hash);
      deps.metrics.units.served += 1;
      reply.headers(quotaHeaders(quota, deps.now()));
      return presentSimilar(similar);
    },
  });

  app.route({
    method: 'GET',
    url: '/private/similar',
    config: { access: 'token', charges: true },
    schema: {
      summary: 'Find files by fuzzy hash',
      description: 'Every request spends one unit of the quota, even if nothing is found.',
      operationId: 'similarToSsdeep',
      tags,
      querystring: ssdeepQuery,
      response: { 200: similarSamples, ...refusals(400, 401, 429) },
      responseHeaders: {
        200: LOOKUP_HEADERS[200],
        400: LOOKUP_HEADERS[400],
        429: LOOKUP_HEADERS[429],
      },
    },
    validatorCompiler: skipValidation,
    async handler({ caller, query }, reply) {
      // Validation is skipped here, so the parameter may be absent or repeated.
      const ssdeep = typeof query.ssdeep === 'string' ? query.ssdeep : undefined;
      const { similar, quota } = await findSimilarToSsdeep(deps, caller, ssdeep);
      deps.metrics.units.served += 1;
      reply.headers(quotaHeaders(quota, deps.now()));
      return presentSimilar(similar);
    },
  });
}
