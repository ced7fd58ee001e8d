import { type Caller, ownsFeed } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { Service } from '../../domain/services/service.ts';
import type { Dependencies } from '../dependencies.ts';

/** Deletes a report on behalf of its creator or an owner of the feed. A tombstone stays. */
export async function deleteReport(
  deps: Dependencies,
  caller: Caller,
  service: Service,
  id: string,
): Promise<void> {
  const isOwner = ownsFeed(caller, service.slug);
  const outcome = await deps.store.reports.delete(
    service.slug,
    { accountId: caller.accountId, tokenId: caller.tokenId, ownsFeed: isOwner },
    {
      id,
      by: caller.name,
      at: deps.now(),
      reason: isOwner ? 'deleted by the service' : 'deleted by its creator',
    },
  );
  if (outcome === 'token-ended') throw new Problem('token_invalid');
  if (outcome === 'absent') throw new Problem('unknown_report');
  if (outcome === 'forbidden') throw new Problem('not_creator_or_owner');
}
