import type { SearchInput } from '../domain/search-query.ts';
import type { SearchHit } from '../ports/search-store.ts';
import type { Dependencies } from './dependencies.ts';

export const DEFAULT_SEARCH_HITS = 25;
export const MAX_SEARCH_HITS = 100;

/**
 * Finds reports and files by hash, address, name, tag or account. It spends no quota unit, because
 * a hit says little about a file.
 */
export function search(
  { store }: Pick<Dependencies, 'store'>,
  input: SearchInput,
  limit: number = DEFAULT_SEARCH_HITS,
): Promise<readonly SearchHit[]> {
  return store.search.search({ input, limit });
}
