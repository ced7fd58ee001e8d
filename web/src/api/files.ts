import { queryOptions } from '@tanstack/react-query';
import { RapsheetError } from '../../../src/client/error.ts';
import { client } from './client.ts';
import { type FileAnswer, hashesOf, keepFile, keptFile } from './kept/files.ts';
import { queryClient } from './query-client.ts';
import { noteQuota, sessionQuery } from './session.ts';

/**
 * Paid answers, including refusals, are kept as long as the tab is open: showing them again costs
 * nothing. Only an action of the reader repeats the request.
 */
const PAID = { gcTime: Number.POSITIVE_INFINITY, retryOnMount: false } as const;

/** An answer about a file, and whether it was paid for before the page was opened. */
interface ShownFile extends FileAnswer {
  readonly isKept: boolean;
}

/** The report and the details of a file. The lookup costs one unit, unless the browser kept it. */
export function fileQuery(hash: string) {
  return queryOptions({
    queryKey: ['file', hash],
    queryFn: async (): Promise<ShownFile> => {
      const account = queryClient.getQueryData(sessionQuery.queryKey)?.id ?? '';
      const kept = await keptFile(account, hash);
      if (kept !== undefined) return shareFile(hash, { ...kept, isKept: true });
      return await lookUpFile(account, hash);
    },
    ...PAID,
  });
}

/** Looks the file up for one unit, even if the browser has an answer. */
export async function lookUpFileAgain(hash: string): Promise<void> {
  const account = queryClient.getQueryData(sessionQuery.queryKey)?.id ?? '';
  queryClient.setQueryData(['file', hash], await lookUpFile(account, hash));
}

async function lookUpFile(account: string, hash: string): Promise<ShownFile> {
  const { report, details } = await paid(() => client.details(hash, { report: true }));
  await keepFile(account, { report, details });
  return shareFile(hash, { report, details, isKept: false });
}

/** A search by one hash and a link by another lead to the same file. */
function shareFile(hash: string, file: ShownFile): ShownFile {
  for (const other of hashesOf(file))
    if (other !== hash) queryClient.setQueryData(['file', other], file);
  return file;
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

/** What is known of a C2 over all feeds and files, with the feed that it belongs to. Free. */
export function addressQuery(c2: string) {
  return queryOptions({
    queryKey: ['c2', c2],
    queryFn: () => client.showAddress(c2),
    staleTime: 30_000,
    refetchOnMount: true,
  });
}

/** Who answers for `host:port` or a host. Free. */
export function routeQuery(address: string) {
  return queryOptions({
    queryKey: ['route', address],
    queryFn: () => client.route(address),
    staleTime: 30_000,
    refetchOnMount: true,
  });
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
