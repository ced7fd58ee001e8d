import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';
import { queryClient } from './query-client.ts';

/**
 * The report and the details of a file. The lookup costs one unit, so it is kept as long as the tab
 * is open: showing it again costs nothing.
 */
export function fileQuery(hash: string) {
  return queryOptions({
    queryKey: ['file', hash],
    queryFn: async () => {
      const file = await client.details(hash, { report: true });
      // Links have the SHA-256: following one after a search by another hash costs nothing more.
      queryClient.setQueryData(['file', file.report.sha256Hash], file);
      return file;
    },
    gcTime: Number.POSITIVE_INFINITY,
  });
}

/** Costs one unit. */
export function similarQuery(hash: string) {
  return queryOptions({
    queryKey: ['file', hash, 'similar'],
    queryFn: () => client.similar(hash),
    gcTime: Number.POSITIVE_INFINITY,
  });
}

/** The reports of a file in all feeds. Free. */
export function reportsOfFileQuery(sha256: string) {
  return queryOptions({
    queryKey: ['file', sha256, 'reports'],
    queryFn: () => client.listAllReports({ hash: sha256, limit: 100 }),
  });
}

/** The feed that a C2 belongs to. Free. */
export function routeQuery(c2: string) {
  return queryOptions({ queryKey: ['route', c2], queryFn: () => client.route(c2) });
}

const POLL_MS = 1000;

/** The state of an analysis, asked for again until it has ended. Free. */
export function sampleStatusQuery(hash: string) {
  return queryOptions({
    queryKey: ['file', hash, 'status'],
    queryFn: () => client.sampleStatus(hash),
    gcTime: 0,
    refetchOnMount: true,
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.status === 'queued' || state.data?.status === 'running' ? POLL_MS : false,
  });
}
