import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import type { DismissProposalBody, Proposal } from '../../../src/client/wire.ts';
import { client } from './client.ts';

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

/** What was decided shows wherever proposals and reports are listed. */
function useDecided() {
  const cache = useQueryClient();
  return (hashes: readonly string[]) => {
    void cache.invalidateQueries({ queryKey: ['proposals'] });
    void cache.invalidateQueries({ queryKey: ['account', 'reports'] });
    for (const hash of new Set(hashes))
      void cache.invalidateQueries({ queryKey: ['file', hash, 'reports'] });
  };
}

/** Reports proposals one after the other, and tells after each how many are done. */
export function useReportProposals(onProgress: (done: number) => void) {
  const decided = useDecided();
  return useMutation({
    mutationFn: async (proposals: readonly Proposal[]) => {
      onProgress(0);
      for (const [index, { id }] of proposals.entries()) {
        await client.reportProposal(id);
        onProgress(index + 1);
      }
      return proposals.length;
    },
    // If one was refused, those before it are reported.
    onSettled: (_, __, proposals) => decided(proposals.map(({ file256Hash }) => file256Hash)),
  });
}

export function useDismissProposal({ id, file256Hash }: Proposal) {
  const decided = useDecided();
  return useMutation({
    mutationFn: (body: DismissProposalBody) => client.dismissProposal(id, body),
    onSuccess: () => decided([file256Hash]),
  });
}
