import type { Caller } from '../../domain/accounts/caller.ts';
import { requireRole } from '../../domain/accounts/require-role.ts';
import { Problem } from '../../domain/problem.ts';
import type { DismissalReason } from '../../domain/proposals/proposal.ts';
import type { Proposal } from '../../ports/proposal-store.ts';
import type { Dependencies } from '../dependencies.ts';

export interface DismissRequest {
  readonly id: string;
  readonly reason: DismissalReason;
  readonly note: string | undefined;
}

/** Closes a proposal without a report. Dismissing it again replaces the reason. */
export async function dismissProposal(
  deps: Pick<Dependencies, 'store' | 'now'>,
  caller: Caller,
  request: DismissRequest,
): Promise<Proposal> {
  requireRole(caller, 'researcher');
  const { accountId, tokenId } = caller;
  const dismissal = { ...request, at: deps.now() };
  const outcome = await deps.store.proposals.dismiss({ accountId, tokenId }, dismissal);
  if (outcome === 'absent') throw new Problem('unknown_proposal');
  if (outcome === 'reported') throw new Problem('proposal_reported');
  return outcome;
}
