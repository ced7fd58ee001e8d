import type { Proposal } from '../../client/wire.ts';
import { table } from './table.ts';

export function proposalTable(proposals: readonly Proposal[]): string {
  return table(
    ['ID', 'STATE', ...HEADERS, 'REPORT'],
    proposals.map((proposal) => [
      proposal.id,
      stateOf(proposal),
      ...cellsOf(proposal),
      proposal.report?.id ?? '',
    ]),
  );
}

/** What would be reported, without the ids, so that most lines fit a terminal of 80 columns. */
export function draftTable(proposals: readonly Proposal[]): string {
  return table(HEADERS, proposals.map(cellsOf));
}

const HEADERS = ['SERVICE', 'C2', 'FAMILY', 'CONFIDENCE', 'CONFIRMATION', 'FILE', 'TAGS'];

function cellsOf(proposal: Proposal): readonly string[] {
  return [
    proposal.service,
    proposal.c2Address,
    proposal.family ?? '',
    String(proposal.confidenceScore),
    proposal.confirmation,
    proposal.fileName,
    proposal.tags.join(', '),
  ];
}

function stateOf({ state, reason }: Proposal): string {
  return reason === null ? state : `${state} (${reason})`;
}
