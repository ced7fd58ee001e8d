import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from './client.ts';
import { useLive } from './live/live.ts';

/** Refetched when it is shown again: the stream is followed only while it is shown. */
const FRESH = { staleTime: 10_000, refetchOnMount: true } as const;

/** A report with its status, and whether the settings of its file name its C2. */
export function reportQuery(service: string, id: string) {
  return queryOptions({
    queryKey: ['feed', service, 'report', id],
    queryFn: async () => (await client.showReport(service, id)).report,
    ...FRESH,
  });
}

/** The report, refetched with its history when it changes. Not fetched while `isRead` is false. */
export function useReport(service: string, id: string, isRead = true) {
  const cache = useQueryClient();
  const { queryKey } = reportQuery(service, id);
  useLive((event) => {
    if (event.kind === 'reset' || event.change.id === id)
      void cache.invalidateQueries({ queryKey });
  });
  return useQuery({ ...reportQuery(service, id), enabled: isRead });
}

export function historyQuery(service: string, id: string) {
  return queryOptions({
    queryKey: ['feed', service, 'report', id, 'history'],
    queryFn: async () => (await client.reportHistory(service, id)).history,
    ...FRESH,
  });
}

/** The name and hottest tags of a file from search, which is free, unlike a lookup. */
export function fileHintQuery(sha256: string) {
  return queryOptions({
    queryKey: ['file-hint', sha256],
    queryFn: async () => {
      const { results } = await client.search(sha256, { limit: 5 });
      return results.find((one) => one.type === 'sample') ?? null;
    },
    ...FRESH,
  });
}
