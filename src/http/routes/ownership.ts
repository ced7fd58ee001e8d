import { checkOwnership } from '../../operations/ownership/check-ownership.ts';
import { showOwnership } from '../../operations/ownership/show-ownership.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { ownershipCheckBody } from '../requests/ownership-fields.ts';
import { serviceParams } from '../requests/parameters.ts';
import { ownershipChecked, ownershipShown } from '../responses/ownership/ownership-schemas.ts';
import { presentPattern } from '../responses/ownership/present-ownership.ts';
import { refusals } from '../responses/schemas.ts';

const tags = ['Ownership'];
const config = { access: 'owner-or-admin' } as const;
const successful = true as const;

/** Proofs that a service owns the hosts that it declares. */
export function ownershipRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'GET',
    url: '/feed/:service/ownership',
    config,
    schema: {
      summary: 'Show which declared hosts are proven',
      description:
        'To prove a host, publish the challenge as a TXT record, or as a line of a file on its web server, and check it. A proof for `ply.example` holds for `ply.example` and `*.ply.example`. Networks cannot be proven: they stay declared.',
      operationId: 'showOwnership',
      tags,
      params: serviceParams,
      response: { 200: ownershipShown, ...refusals(401, 403, 404, 429) },
    },
    async handler({ caller, service }) {
      const { patterns, challenge } = await showOwnership(deps, caller, service);
      return { patterns: patterns.map(presentPattern), challenge, successful };
    },
  });

  app.route({
    method: 'POST',
    url: '/feed/:service/ownership/check',
    config,
    schema: {
      summary: 'Check the proof of a declared host now',
      description:
        'At most once in ten seconds for each host. A proof is then checked every day, and ends when the challenge has been missing for three days, or at once if the token of somebody else is published instead. A name server or host that does not answer ends no proof.',
      operationId: 'checkOwnership',
      tags,
      params: serviceParams,
      body: ownershipCheckBody,
      response: { 200: ownershipChecked, ...refusals(400, 401, 403, 404, 413, 415, 429) },
    },
    async handler({ caller, service, body }) {
      const checked = await checkOwnership(deps, caller, service, body);
      return { ...presentPattern(checked), successful };
    },
  });
}
