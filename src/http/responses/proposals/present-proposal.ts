import { proposedConfidence } from '../../../domain/proposals/proposal.ts';
import { formatC2Address } from '../../../domain/reports/c2-address.ts';
import type { ListedProposals } from '../../../operations/proposals/list-proposals.ts';
import type { Proposal } from '../../../ports/proposal-store.ts';
import { formatUtc } from '../present.ts';

export function presentProposal(proposal: Proposal) {
  const { service, reportId } = proposal;
  return {
    id: proposal.id,
    state: proposal.state,
    service,
    c2Address: formatC2Address(proposal.c2),
    file256Hash: proposal.sha256,
    fileName: proposal.fileName,
    family: proposal.family ?? null,
    tags: proposal.tags,
    confidenceScore: proposedConfidence(proposal.confidenceScale),
    // Only C2s that the settings of the file name are proposed.
    confirmation: 'confirmed' as const,
    createdAt: formatUtc(proposal.createdAt),
    report: reportId === undefined ? null : { service, id: reportId },
    reason: proposal.reason ?? null,
    note: proposal.note ?? null,
  };
}

export function presentProposals({ proposals, nextCursor }: ListedProposals) {
  return {
    proposals: proposals.map(presentProposal),
    nextCursor: nextCursor ?? null,
    hasMore: nextCursor !== undefined,
    successful: true as const,
  };
}
