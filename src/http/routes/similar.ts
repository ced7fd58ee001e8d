import {
  type DigestQuery,
  findSimilar,
  findSimilarToDigest,
} from '../../operations/samples/find-similar.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { LOOKUP_HEADERS } from '../openapi/headers.ts';
import { skipValidation } from '../requests/field-rules.ts';
import {
  compileQueryValidator,
  digestQuery,
  hashParams,
  measureQuery,
} from '../requests/parameters.ts';
import { presentSimilar, quotaHeaders } from '../responses/present.ts';
import { similarSamples } from '../responses/sample-schemas.ts';
import { refusals } from '../responses/schemas.ts';

const tags = ['Samples'];

/** Similar files by ssdeep or TLSH. */
export function similarRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'GET',
    url: '/private/similar/:hash',
    config: { access: 'token', charges: true },
    schema: {
      summary: 'Find files that are similar to a known one',
      description:
        'By ssdeep, or with `by=tlsh` by TLSH. Every request spends one unit of the quota, even if nothing is found.',
      operationId: 'similar',
      tags,
      params: hashParams,
      querystring: measureQuery,
      response: { 200: similarSamples, ...refusals(400, 401, 404, 429) },
      responseHeaders: LOOKUP_HEADERS,
    },
    validatorCompiler: compileQueryValidator,
    async handler({ caller, params, query }, reply) {
      const { similar, quota } = await findSimilar(deps, caller, params.hash, query.by);
      deps.metrics.units.served.inc();
      reply.headers(quotaHeaders(quota, deps.now()));
      return presentSimilar(similar);
    },
  });

  app.route({
    method: 'GET',
    url: '/private/similar',
    config: { access: 'token', charges: true },
    schema: {
      summary: 'Find files by ssdeep or TLSH',
      description:
        'Send either `ssdeep` or `tlsh`. Every request spends one unit of the quota, even if nothing is found.',
      operationId: 'similarToSsdeep',
      tags,
      querystring: digestQuery,
      response: { 200: similarSamples, ...refusals(400, 401, 429) },
      responseHeaders: {
        200: LOOKUP_HEADERS[200],
        400: LOOKUP_HEADERS[400],
        429: LOOKUP_HEADERS[429],
      },
    },
    validatorCompiler: skipValidation,
    async handler({ caller, query }, reply) {
      const { similar, quota } = await findSimilarToDigest(deps, caller, digestOf(query));
      deps.metrics.units.served.inc();
      reply.headers(quotaHeaders(quota, deps.now()));
      return presentSimilar(similar);
    },
  });
}

/** Validation is skipped, so the parameters may be absent or repeated. */
function digestOf({ ssdeep, tlsh }: { ssdeep?: unknown; tlsh?: unknown }): DigestQuery {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  if (tlsh === undefined) return { by: 'ssdeep', digest: text(ssdeep) };
  return { by: 'tlsh', digest: ssdeep === undefined ? text(tlsh) : undefined };
}
