import type { Caller } from '../../domain/accounts/caller.ts';
import { requireRole } from '../../domain/accounts/require-role.ts';
import { Problem } from '../../domain/problem.ts';
import { proposedConfidence } from '../../domain/proposals/proposal.ts';
import type { ReportDraft } from '../../domain/reports/report.ts';
import type { Proposal } from '../../ports/proposal-store.ts';
import type { Dependencies } from '../dependencies.ts';
import {
  type CreatedReport,
  createdReport,
  createProblem,
  newReport,
} from '../reports/create-report.ts';

/** What the caller reports instead of what is proposed. */
export type ProposalDraft = Partial<Pick<ReportDraft, 'tags' | 'reference' | 'confidence'>>;

export interface ReportedProposal extends CreatedReport {
  readonly service: string;
}

export async function findProposal(
  { store }: Pick<Dependencies, 'store'>,
  { accountId }: Caller,
  id: string,
): Promise<Proposal> {
  const proposal = await store.proposals.find(accountId, id);
  if (proposal === undefined) throw new Problem('unknown_proposal');
  return proposal;
}

/**
 * Reports what is proposed. The state of the proposal changes in the transaction of the report, so
 * that repeated and concurrent calls create one report.
 */
export async function reportProposal(
  deps: Dependencies,
  caller: Caller,
  proposal: Proposal,
  { tags, reference, confidence }: ProposalDraft,
): Promise<ReportedProposal> {
  requireRole(caller, 'researcher');
  const { id, service: slug, confidenceScale, c2, sha256 } = proposal;
  if (proposal.reportId !== undefined)
    return { id: proposal.reportId, service: slug, replayed: true, c2Rejected: false };
  if (proposal.isUnrouted) throw new Problem('proposal_unrouted');
  const draft = {
    tags: tags ?? proposal.tags,
    c2,
    sha256,
    reference,
    confidence: confidence ?? proposedConfidence(confidenceScale),
  };
  const source = { caller, service: { slug, confidenceScale }, at: deps.now() };
  const report = { ...newReport(deps, source, draft, undefined), proposalId: id };
  const outcome = await deps.store.reports.create(report);
  if (!('id' in outcome)) throw createProblem(outcome);
  return { ...createdReport(outcome), service: slug };
}
