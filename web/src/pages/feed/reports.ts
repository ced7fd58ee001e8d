import { useEffect } from 'react';
import { client } from '../../api/client.ts';
import { changesIn, hasReset, LIST_BATCH_MS, listenBatched } from '../../api/live/batches.ts';
import { useMe } from '../../api/session.ts';
import { useStore } from '../../api/use-store.ts';
import { type FeedFilter, matches, toListOptions } from './filters.ts';
import { ReportList, type ReportListState } from './report-list.ts';

/** Lists kept in memory, so that going back shows the same rows at the same position. */
const KEPT_LISTS = 4;

interface LiveList {
  readonly list: ReportList;
  readonly stop: () => void;
}

/** The most recently used is last. Lists follow the stream even while they are not shown. */
const lists = new Map<string, LiveList>();

function listOf(key: string, create: () => LiveList): ReportList {
  const known = lists.get(key) ?? create();
  lists.delete(key);
  lists.set(key, known);
  for (const [old, { stop }] of lists) {
    if (lists.size <= KEPT_LISTS) break;
    stop();
    lists.delete(old);
  }
  return known.list;
}

function openList(service: string, filter: FeedFilter, keptPages: number | undefined): LiveList {
  const list = new ReportList({
    fetchPage: (cursor, limit) =>
      client.listReports(service, { ...toListOptions(filter), limit, cursor }),
    matches: (report) => matches(report, filter),
    ...(keptPages !== undefined && { keptPages }),
  });
  void list.reload();
  const stop = listenBatched(LIST_BATCH_MS, (events) => {
    list.apply(changesIn(events, service));
    if (hasReset(events)) void list.reload();
  });
  return { list, stop };
}

export interface Reports extends ReportListState {
  readonly list: ReportList;
}

/** The reports of a feed that match the filter, updated live. */
export function useReports(service: string, filter: FeedFilter, keptPages?: number): Reports {
  const { id } = useMe();
  const key = JSON.stringify([id, service, filter, keptPages]);
  const list = listOf(key, () => openList(service, filter, keptPages));
  const state = useStore(list.state);
  useEffect(() => {
    // Reopening the page repeats a request for the first page that failed.
    const { isLoaded, error } = list.state.value;
    if (!isLoaded && error !== null) list.retry();
  }, [list]);
  return { ...state, list };
}
