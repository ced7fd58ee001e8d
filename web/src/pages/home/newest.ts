import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FollowedChange } from '../../../../src/client/follow.ts';
import { client } from '../../api/client.ts';
import { changesIn, hasReset, LIST_BATCH_MS, useLiveBatches } from '../../api/live/batches.ts';
import { listenLive } from '../../api/live/live.ts';
import { applyChanges, MAX_SHOWN, type NewestList, reconcile, showArrived } from './newest-list.ts';

const newestQuery = queryOptions({
  queryKey: ['feed', 'all', 'newest'],
  queryFn: async ({ client: cache, queryKey }): Promise<NewestList> => {
    // Changes during the request may be missing in its answer.
    const changes: FollowedChange[] = [];
    const stop = listenLive((event) => {
      if (event.kind === 'change') changes.push(event.change);
    });
    try {
      const { reports } = await client.listAllReports({ limit: MAX_SHOWN });
      const list = cache.getQueryData<NewestList>(queryKey);
      return applyChanges(reconcile(list, reports), changes);
    } finally {
      stop();
    }
  },
  // Refetched when the page is opened again: it follows the stream only while it is shown.
  gcTime: 0,
});

/** The newest reports of all feeds, live. */
export function useNewest() {
  const cache = useQueryClient();
  const query = useQuery(newestQuery);
  useLiveBatches(LIST_BATCH_MS, (events) => {
    const { queryKey } = newestQuery;
    cache.setQueryData(queryKey, (list) => list && applyChanges(list, changesIn(events)));
    if (hasReset(events)) void cache.invalidateQueries({ queryKey });
  });
  const show = () => cache.setQueryData(newestQuery.queryKey, (list) => list && showArrived(list));
  return { ...query, show };
}
