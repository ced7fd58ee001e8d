import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { FollowedChange } from '../../../../src/client/follow.ts';
import { client } from '../../api/client.ts';
import { listenLive } from '../../api/live/live.ts';
import { queryClient } from '../../api/query-client.ts';
import { applyChanges, MAX_SHOWN, type NewestList, reconcile, showArrived } from './newest-list.ts';

/** Changes are applied together, so that a busy feed does not draw the page for each of them. */
const COALESCE_MS = 300;

const newestQuery = queryOptions({
  queryKey: ['feed', 'all', 'newest'],
  queryFn: async (): Promise<NewestList> => {
    // What changes while the list is read may be missing in the answer.
    const changes: FollowedChange[] = [];
    const stop = listenLive((event) => {
      if (event.kind === 'change') changes.push(event.change);
    });
    try {
      const { reports } = await client.listAllReports({ limit: MAX_SHOWN });
      const list = queryClient.getQueryData<NewestList>(['feed', 'all', 'newest']);
      return applyChanges(reconcile(list, reports), changes);
    } finally {
      stop();
    }
  },
  // Read again when the page is opened again: it follows the stream only while it is shown.
  gcTime: 0,
});

/** The newest reports of all feeds, live. */
export function useNewest() {
  const cache = useQueryClient();
  const query = useQuery(newestQuery);
  useEffect(() => {
    let changes: FollowedChange[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const apply = () => {
      timer = undefined;
      const some = changes;
      changes = [];
      cache.setQueryData(newestQuery.queryKey, (list) => list && applyChanges(list, some));
    };
    const stop = listenLive((event) => {
      if (event.kind === 'reset') {
        void cache.invalidateQueries({ queryKey: newestQuery.queryKey });
        return;
      }
      changes.push(event.change);
      timer ??= setTimeout(apply, COALESCE_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [cache]);
  const show = () => cache.setQueryData(newestQuery.queryKey, (list) => list && showArrived(list));
  return { ...query, show };
}
