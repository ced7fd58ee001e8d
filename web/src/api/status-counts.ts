import { useQueries, useQueryClient } from '@tanstack/react-query';
import type { FeedStatistics } from '../../../src/client/wire.ts';
import { statisticsQuery } from './feed-statistics.ts';
import { changesIn, hasReset, useLiveBatches } from './live/batches.ts';
import { Store } from './store.ts';
import { useStore } from './use-store.ts';

/** How many reports have which status, as every part of the application shows it. */

export type StatusCounts = FeedStatistics['statuses'];

/** What actions that are not sent yet change, by feed and status. */
type Pending = ReadonlyMap<string, Partial<Readonly<Record<keyof StatusCounts, number>>>>;

const pending = new Store<Pending>(new Map());

/** Notes what the waiting actions of a desk change. */
export function notePendingCounts(
  service: string,
  change: Partial<Record<keyof StatusCounts, number>>,
): void {
  pending.set(new Map(pending.value).set(service, change));
}

/** Many reports may arrive at once: the numbers are read again at most this often. */
const RECOUNT_MS = 1000;

/** The counts of each feed, in their order; `undefined` until they are loaded. */
export function useStatusCounts(
  services: readonly string[],
): readonly (StatusCounts | undefined)[] {
  const cache = useQueryClient();
  const changes = useStore(pending);
  useLiveBatches(RECOUNT_MS, (events) => {
    for (const service of services)
      if (hasReset(events) || changesIn(events, service).length > 0)
        void cache.invalidateQueries({ queryKey: statisticsQuery(service).queryKey });
  });
  const found = useQueries({ queries: services.map((service) => statisticsQuery(service)) });
  return services.map((service, index) => {
    const counted = found[index]?.data?.statuses;
    return counted && withPending(counted, changes.get(service) ?? {});
  });
}

function withPending(
  counted: StatusCounts,
  change: Partial<Readonly<Record<keyof StatusCounts, number>>>,
): StatusCounts {
  const entries = Object.entries(counted).map(([status, value]) => [
    status,
    Math.max(0, value + (change[status as keyof StatusCounts] ?? 0)),
  ]);
  return Object.fromEntries(entries) as StatusCounts;
}
