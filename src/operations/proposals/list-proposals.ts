import type { Caller } from '../../domain/accounts/caller.ts';
import type { ProposalState } from '../../domain/proposals/proposal.ts';
import type { Proposal } from '../../ports/proposal-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { pageOf, readPageCursor } from '../page-cursor.ts';

export interface ProposalListRequest {
  readonly state: ProposalState | undefined;
  readonly sha256: string | undefined;
  readonly cursor: string | undefined;
  readonly limit: number;
}

export interface ListedProposals {
  readonly proposals: readonly Proposal[];
  /** `undefined` on the last page. */
  readonly nextCursor: string | undefined;
}

/** Returns a page of the caller's proposals, newest first. */
export async function listProposals(
  { store: { feeds, proposals } }: Pick<Dependencies, 'store'>,
  { accountId }: Caller,
  { state, sha256, cursor, limit }: ProposalListRequest,
): Promise<ListedProposals> {
  const secret = await feeds.secret();
  // A cursor is an id, and continues the list with other filters as well.
  const purpose = ['proposals'];
  const before = readPageCursor(secret, purpose, cursor);
  const found = await proposals.list({ accountId, state, sha256, before, limit: limit + 1 });
  const page = pageOf(found, limit, { secret, purpose, positionOf: ({ id }) => id });
  return { proposals: page.items, nextCursor: page.nextCursor };
}
