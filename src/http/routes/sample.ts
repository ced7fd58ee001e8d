import { lookUpSample } from '../../operations/look-up-sample.ts';
import type { App } from '../app.ts';
import type { HttpDependencies } from '../dependencies.ts';
import { QUOTA_HEADERS } from '../openapi-headers.ts';
import { hashParams } from '../parameters.ts';
import { quotaHeaders } from '../present.ts';
import { sendReady } from '../ready.ts';
import { analysis, refusals } from '../replies.ts';

export function sampleRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'GET',
    url: '/private/sample/:hash',
    config: { access: 'token' },
    schema: {
      summary: 'Look up the analysis report of a file',
      description: 'Every call takes one unit of the quota, whatever it finds.',
      operationId: 'lookUp',
      tags: ['Samples'],
      params: hashParams,
      response: { 200: analysis, ...refusals(400, 401, 404, 429) },
      answerHeaders: {
        200: QUOTA_HEADERS,
        400: QUOTA_HEADERS,
        404: QUOTA_HEADERS,
        429: QUOTA_HEADERS,
      },
    },
    // No schema may refuse the hash before its unit is taken.
    validatorCompiler: () => (value: unknown) => ({ value }),
    async handler({ caller, params }, reply) {
      const { body, quota } = await lookUpSample(deps, caller, params.hash);
      reply.headers(quotaHeaders(quota, deps.now()));
      return sendReady(reply, body);
    },
  });
}
