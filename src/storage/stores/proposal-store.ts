import type { ProposalStore } from '../../ports/proposal-store.ts';
import { deleteOldProposals } from '../tables/proposals/proposals.ts';
import { dismissProposal } from '../transactions/proposals/dismiss-proposal.ts';
import { findProposal, listProposals } from '../transactions/proposals/list-proposals.ts';
import type { Runner } from '../units/runner.ts';

export function createProposalStore(runner: Runner): ProposalStore {
  return {
    list: (page) => runner.read(() => listProposals(page)),
    find: (accountId, id) => runner.read(() => findProposal(accountId, id)),
    dismiss: (by, dismissal) => runner.write(() => dismissProposal(by, dismissal)),
    deleteOld: (before, limit) => runner.write(() => deleteOldProposals(before, limit)),
  };
}
