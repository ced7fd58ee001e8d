import type { KnownLists } from '../../domain/lists/known-lists.ts';
import type { ListedAnswer } from '../../operations/search.ts';
import type { SearchHit } from '../../ports/search-store.ts';
import { presentExtended } from './present.ts';

export function presentHit(hit: SearchHit, lists: KnownLists) {
  const { match } = hit;
  if (hit.kind === 'report') {
    return { type: 'report' as const, match, report: presentExtended(hit.report, lists) };
  }
  const { sha256, fileName, tags } = hit;
  return {
    type: 'sample' as const,
    match,
    sha256Hash: sha256,
    fileName,
    tags: tags.map(({ heat, name }) => ({ heat, name })),
  };
}

export function presentListedAnswer(query: string, answer: ListedAnswer, lists: KnownLists) {
  return {
    query,
    results: answer?.hits.map((hit) => presentHit(hit, lists)) ?? [],
    hasMore: answer?.hasMore ?? false,
    ...(answer === undefined && { error: UNREADABLE_LINE }),
  };
}

const UNREADABLE_LINE =
  'It must be a hash, at least the first 8 digits of one, a C2 address, a host or a network.';
