import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { RapsheetError } from '../../../src/client/error.ts';
import type { DismissProposalBody, Proposal } from '../../../src/client/wire.ts';
import { client } from './client.ts';
import { leavingClient } from './leaving.ts';
import type { ReportableC2 } from './reportable-c2.ts';

const FRESH = { staleTime: 10_000, refetchOnMount: true } as const;
const PAGE = 50;

/** What the analysis of a file that this account uploaded proposes, in all states. Free. */
export function proposalsOfFileQuery(sha256: string) {
  return queryOptions({
    queryKey: ['proposals', 'file', sha256],
    queryFn: async () => {
      // A file has at most 32.
      const { proposals } = await client.listProposals({ hash: sha256, limit: 100 });
      return proposals.toSorted((one, other) => (one.c2Address < other.c2Address ? -1 : 1));
    },
    ...FRESH,
  });
}

/** All open proposals of this account, newest first. Free. */
export const openProposalsQuery = infiniteQueryOptions({
  queryKey: ['proposals', 'open'],
  queryFn: ({ pageParam }) =>
    client.listProposals({
      state: 'open',
      limit: PAGE,
      cursor: pageParam === '' ? undefined : pageParam,
    }),
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  ...FRESH,
});

/** Updates all lists of proposals and reports after decisions. */
export function useDecided() {
  const cache = useQueryClient();
  return (proposals: readonly ReportableC2[]) => {
    void cache.invalidateQueries({ queryKey: ['proposals'] });
    void cache.invalidateQueries({ queryKey: ['account', 'reports'] });
    for (const hash of new Set(proposals.map(({ file256Hash }) => file256Hash)))
      void cache.invalidateQueries({ queryKey: ['file', hash, 'reports'] });
    for (const c2 of new Set(proposals.map(({ c2Address }) => c2Address)))
      void cache.invalidateQueries({ queryKey: ['c2', c2] });
  };
}

export function useReportProposal(proposal: Proposal) {
  const decided = useDecided();
  return useMutation({
    mutationFn: () => client.reportProposal(proposal.id),
    onSettled: () => decided([proposal]),
  });
}

/**
 * Reports C2s one after the other, and calls back after each. Returns the refusals: a proposal
 * that was withdrawn or dismissed meanwhile does not stop the others.
 */
export async function reportC2s(
  c2s: readonly ReportableC2[],
  onProgress: (done: number) => void,
): Promise<readonly RapsheetError[]> {
  const refusals: RapsheetError[] = [];
  for (const [index, c2] of c2s.entries()) {
    try {
      await reportC2(client, c2);
    } catch (cause) {
      if (!(cause instanceof RapsheetError) || ![404, 409].includes(cause.status ?? 0)) throw cause;
      refusals.push(cause);
    }
    onProgress(index + 1);
  }
  return refusals;
}

/** Starts all calls concurrently: a page that is being left cannot start any later. */
export async function reportWhileLeaving(c2s: readonly ReportableC2[]): Promise<void> {
  await Promise.all(c2s.map((c2) => reportC2(leavingClient, c2)));
}

async function reportC2(
  caller: typeof client,
  { id, service, c2Address, file256Hash, tags }: ReportableC2,
): Promise<void> {
  if (id !== undefined) await caller.reportProposal(id);
  else await caller.createReport(service, { c2Address, file256Hash, tags: [...tags] });
}

export function useDismissProposal(proposal: Proposal) {
  const decided = useDecided();
  return useMutation({
    mutationFn: (body: DismissProposalBody) => client.dismissProposal(proposal.id, body),
    onSuccess: () => decided([proposal]),
  });
}
