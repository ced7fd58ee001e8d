import { queryOptions } from '@tanstack/react-query';
import { RapsheetError } from '../../../src/client/error.ts';
import { client } from './client.ts';
import { queryClient } from './query-client.ts';
import { noteQuota } from './session.ts';

/**
 * Paid answers, including refusals, are kept as long as the tab is open: showing them again costs
 * nothing. Only an action of the reader repeats the request.
 */
const PAID = { gcTime: Number.POSITIVE_INFINITY, retryOnMount: false } as const;

/** The report and the details of a file. The lookup costs one unit. */
export function fileQuery(hash: string) {
  return queryOptions({
    queryKey: ['file', hash],
    queryFn: async () => {
      const file = await paid(() => client.details(hash, { report: true }));
      // A search by one hash and a link by another lead to the same file.
      const { sha256Hash, sha512Hash, blake3Hash } = file.report;
      for (const other of [sha256Hash, sha512Hash, blake3Hash])
        if (other !== hash) queryClient.setQueryData(['file', other], file);
      return file;
    },
    ...PAID,
  });
}

/** What files are compared by. */
export type SimilarityMeasure = 'ssdeep' | 'tlsh';

/** Costs one unit. */
export function similarQuery(hash: string, by: SimilarityMeasure = 'ssdeep') {
  return queryOptions({
    queryKey: ['file', hash, 'similar', by],
    queryFn: () => paid(() => client.similar(hash, { by })),
    ...PAID,
  });
}

type Balance = { readonly remaining: number | null } | undefined;

/** Stores the balance from the answer, even if it is a refusal. */
async function paid<Answer extends { readonly quota: Balance }>(
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await call();
    noteQuota(answer.quota);
    return answer;
  } catch (error) {
    if (error instanceof RapsheetError) noteQuota(error.quota);
    throw error;
  }
}

/** The reports of a file in all feeds. Free. */
export function reportsOfFileQuery(sha256: string) {
  return queryOptions({
    queryKey: ['file', sha256, 'reports'],
    queryFn: () => client.listAllReports({ hash: sha256, limit: 100 }),
    staleTime: 10_000,
    refetchOnMount: true,
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
