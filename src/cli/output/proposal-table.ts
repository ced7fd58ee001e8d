import type { Proposal } from '../../client/wire.ts';
import { type Columns, tableOf } from './list.ts';

/** What would be reported, without the ids, so that most lines fit a terminal of 80 columns. */
const draftColumns: Columns<Proposal> = [
  { name: 'service', title: 'SERVICE', value: ({ service }) => service },
  { name: 'c2', title: 'C2', value: ({ c2Address }) => c2Address },
  { name: 'family', title: 'FAMILY', value: ({ family }) => family },
  { name: 'confidence', title: 'CONFIDENCE', value: ({ confidenceScore }) => confidenceScore },
  { name: 'confirmation', title: 'CONFIRMATION', value: ({ confirmation }) => confirmation },
  { name: 'file_name', title: 'FILE', flexible: true, value: ({ fileName }) => fileName },
  { name: 'tags', title: 'TAGS', flexible: true, value: ({ tags }) => tags },
];

export const proposalColumns: Columns<Proposal> = [
  { name: 'id', title: 'ID', value: ({ id }) => id },
  { name: 'state', title: 'STATE', value: ({ state }) => state, text: stateOf },
  { name: 'reason', value: ({ reason }) => reason },
  ...draftColumns,
  { name: 'report', title: 'REPORT', value: ({ report }) => report?.id },
  { name: 'sha256', value: ({ file256Hash }) => file256Hash },
];

export function proposalTable(proposals: readonly Proposal[]): string {
  return tableOf(proposalColumns, proposals);
}

export function draftTable(proposals: readonly Proposal[]): string {
  return tableOf(draftColumns, proposals);
}

function stateOf({ state, reason }: Proposal): string {
  return reason === null ? state : `${state} (${reason})`;
}
