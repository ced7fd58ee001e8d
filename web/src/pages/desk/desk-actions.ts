import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { RapsheetClient } from '../../../../src/client/client.ts';
import type { SetStatusBody } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { UNDO_MS } from '../../api/held-actions.ts';
import { leavingClient, useFlushOnLeave } from '../../api/leaving.ts';
import { changesIn, LIST_BATCH_MS, useLiveBatches } from '../../api/live/batches.ts';
import { notePendingCounts, type StatusCounts } from '../../api/status-counts.ts';
import { useStore } from '../../api/use-store.ts';
import { showToast } from '../../components/overlays/toasts.tsx';
import { explain } from '../../components/states.tsx';
import { count } from '../../text/format.ts';
import { type DeskAction, PendingActions } from './pending-actions.ts';

/** The number of ids that the server accepts in a call. */
const MAX_IDS = 10_000;
/** The number of ids that a browser sends when the page is left: the limit is 64 kB. */
const MAX_LEAVING = 1000;

/** The actions of the desk of a service. They outlive its lists, so that undo works in all. */
export function useDeskActions(service: string): PendingActions {
  const cache = useQueryClient();
  const [actions] = useState(() => createActions(service, cache));
  const entries = useStore(actions.entries);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the entries decide what waits
  useEffect(() => {
    notePendingCounts(service, countChanges(actions.waiting));
    return () => notePendingCounts(service, {});
  }, [service, actions, entries]);
  // In the same batches as the lists: a list that lacks the change would show the old status.
  useLiveBatches(LIST_BATCH_MS, (events) =>
    actions.settle(changesIn(events, service).map(({ id }) => id)),
  );
  useFlushOnLeave(actions, hasTooMany);
  return actions;
}

function createActions(service: string, cache: QueryClient): PendingActions {
  return new PendingActions({
    waitMs: UNDO_MS,
    send: async (ids, body, { isLeaving }) => {
      await setAll(isLeaving ? leavingClient : client, service, ids, body);
      void cache.invalidateQueries({ queryKey: ['feed', service, 'statistics'] });
      const changed = new Set<unknown>(ids);
      void cache.invalidateQueries({
        queryKey: ['feed', service, 'report'],
        predicate: ({ queryKey: [, , , id] }) => changed.has(id),
      });
    },
    onFailure: (error, { reports }) =>
      showToast({
        text: `${count(reports.length, 'report')} not changed: ${explain(error).text}`,
        isError: true,
      }),
  });
}

async function setAll(
  by: RapsheetClient,
  service: string,
  ids: readonly string[],
  body: SetStatusBody,
): Promise<void> {
  const [only, ...others] = ids;
  if (only !== undefined && others.length === 0) {
    await by.setStatus(service, only, body);
    return;
  }
  for (let start = 0; start < ids.length; start += MAX_IDS)
    await by.setStatuses(service, { ids: ids.slice(start, start + MAX_IDS), ...body });
}

function hasTooMany({ waiting }: PendingActions): boolean {
  return waiting.reduce((sum, { reports }) => sum + reports.length, 0) > MAX_LEAVING;
}

/** What the waiting actions add to each status, or take from it. */
function countChanges(waiting: readonly DeskAction[]): Partial<Record<keyof StatusCounts, number>> {
  const changes: Partial<Record<keyof StatusCounts, number>> = {};
  const add = (status: keyof StatusCounts, number: number) => {
    changes[status] = (changes[status] ?? 0) + number;
  };
  for (const { reports, body } of waiting) {
    add(body.status, reports.length);
    for (const { status } of reports) add(status, -1);
  }
  return changes;
}
