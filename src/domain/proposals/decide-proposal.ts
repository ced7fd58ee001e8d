import type { ProposalState } from './proposal.ts';

/** What a create does with the proposals of its reporter. */

/** The proposal that a create names. */
export interface NamedProposal {
  readonly state: ProposalState;
  readonly reportId: string | undefined;
}

/** `replayed`: it was reported already, and the create gets that report. */
export type ProposalRefusal =
  | { readonly kind: 'proposal-absent' | 'proposal-dismissed' }
  | { readonly kind: 'replayed'; readonly id: string };

/** Why a create that names the proposal makes no report; `undefined` if it does. */
export function proposalRefusal(proposal: NamedProposal | undefined): ProposalRefusal | undefined {
  if (proposal === undefined) return { kind: 'proposal-absent' };
  if (proposal.reportId !== undefined) return { kind: 'replayed', id: proposal.reportId };
  return proposal.state === 'dismissed' ? { kind: 'proposal-dismissed' } : undefined;
}

interface ProposalOfC2 {
  readonly state: ProposalState;
  readonly serviceId: number;
}

/**
 * The open proposal that becomes reported by a report without it, of the same C2 and file. The one
 * of another service moves to that of the report if that answers for the C2, unless the account has
 * one there too.
 */
export function proposalReportedBy<Proposal extends ProposalOfC2>(
  ofC2: readonly Proposal[],
  { serviceId, isRouted }: { readonly serviceId: number; readonly isRouted: boolean },
): Proposal | undefined {
  const own = ofC2.find((one) => one.serviceId === serviceId);
  if (own !== undefined || !isRouted) return own?.state === 'open' ? own : undefined;
  return ofC2.find(({ state }) => state === 'open');
}
