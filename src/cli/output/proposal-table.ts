import type { Proposal } from '../../client/wire.ts';
import { table } from './table.ts';

export function proposalTable(proposals: readonly Proposal[]): string {
  return table(
    ['ID', 'STATE', 'SERVICE', 'C2', 'FAMILY', 'TAGS', 'CONFIDENCE', 'CONFIRMATION', 'FILE'],
    proposals.map((proposal) => [
      proposal.id,
      stateOf(proposal),
      proposal.service,
      proposal.c2Address,
      proposal.family ?? '',
      proposal.tags.join(', '),
      String(proposal.confidenceScore),
      proposal.confirmation,
      proposal.fileName,
    ]),
  );
}

function stateOf({ state, report, reason }: Proposal): string {
  if (report !== null) return `reported as ${report.id}`;
  return reason === null ? state : `dismissed: ${reason}`;
}
