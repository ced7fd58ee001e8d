import { dismissProposal } from '../../operations/proposals/dismiss-proposal.ts';
import { listProposals } from '../../operations/proposals/list-proposals.ts';
import { findProposal, reportProposal } from '../../operations/proposals/report-proposal.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { limitRate } from '../gate/rate-limit.ts';
import { QUOTA_HEADERS } from '../openapi/headers.ts';
import { DEFAULT_PAGE_SIZE } from '../requests/feed-query.ts';
import {
  compileProposalValidator,
  dismissBody,
  proposalsQuery,
  readProposalDraft,
  reportProposalBody,
} from '../requests/intake/proposal-fields.ts';
import { uuidParams } from '../requests/parameters.ts';
import { presentProposal, presentProposals } from '../responses/proposals/present-proposal.ts';
import {
  proposalDismissed,
  proposalPage,
  proposalReported,
} from '../responses/proposals/proposal-schemas.ts';
import { refusals } from '../responses/schemas.ts';

const tags = ['Proposals'];

/** What the analyses of the caller's uploads propose to report. */
export function proposalRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'GET',
    url: '/api/proposals',
    config: { access: 'token' },
    schema: {
      summary: 'List your proposals',
      description:
        'When a file that you uploaded is analysed, a report is proposed for each C2 in its settings: to the service that answers for it, or to `unclaimed` if no service has declared it; at most 32 for a file. Newest first. They are deleted 90 days after they were made or decided. Spends no quota.',
      operationId: 'listProposals',
      tags,
      querystring: proposalsQuery,
      response: { 200: proposalPage, ...refusals(400, 401, 429) },
    },
    async handler({ caller, query: { state, hash, cursor, limit = DEFAULT_PAGE_SIZE } }) {
      const request = { state, sha256: hash, cursor, limit };
      return presentProposals(await listProposals(deps, caller, request));
    },
  });

  app.route({
    method: 'POST',
    url: '/api/proposals/:id/report',
    config: { access: 'researcher' },
    onRequest: limitRate(deps, 'create'),
    schema: {
      summary: 'Report what is proposed',
      description:
        'Creates the report in the feed of the service. The call may be repeated: later calls answer 200 with the id of the first report, even if it has been deleted since.',
      operationId: 'reportProposal',
      tags,
      params: uuidParams,
      body: reportProposalBody().optional(),
      response: {
        200: proposalReported,
        201: proposalReported,
        ...refusals(400, 401, 403, 404, 409, 413, 415, 429),
      },
      responseHeaders: { 201: ['Location', 'X-C2-Rejected', ...QUOTA_HEADERS], 429: QUOTA_HEADERS },
    },
    // The schema of the body depends on the service of the proposal, so the handler validates it.
    validatorCompiler: compileProposalValidator,
    async handler({ caller, params, body }, reply) {
      const proposal = await findProposal(deps, caller, params.id);
      const draft = readProposalDraft(body, proposal.confidenceScale);
      const reported = await reportProposal(deps, caller, proposal, draft);
      const { id, service, replayed, c2Rejected } = reported;
      reply.header('location', `${deps.baseUrl()}/feed/${service}/api?report=${id}`);
      if (c2Rejected) reply.header('x-c2-rejected', 'true');
      return reply.code(replayed ? 200 : 201).send({ id, service, successful: true as const });
    },
  });

  app.route({
    method: 'POST',
    url: '/api/proposals/:id/dismiss',
    config: { access: 'researcher' },
    schema: {
      summary: 'Dismiss a proposal',
      description: 'It stays listed with the reason. Dismissing it again replaces the reason.',
      operationId: 'dismissProposal',
      tags,
      params: uuidParams,
      body: dismissBody,
      response: { 200: proposalDismissed, ...refusals(400, 401, 403, 404, 409, 413, 415, 429) },
    },
    async handler({ caller, params: { id }, body: { reason, note } }) {
      const proposal = await dismissProposal(deps, caller, { id, reason, note });
      return { proposal: presentProposal(proposal), successful: true as const };
    },
  });
}
