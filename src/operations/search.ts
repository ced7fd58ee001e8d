import type { Sought } from '../domain/search-query.ts';
import type { SearchHit } from '../ports/search-store.ts';
import type { Dependencies } from './dependencies.ts';

export const DEFAULT_FOUND = 25;
export const MOST_FOUND = 100;

/** What is known of a hash, an address, a name, a tag or an account. Takes no unit: of a file it tells next to nothing. */
export function search(
  { store }: Pick<Dependencies, 'store'>,
  sought: Sought,
  limit: number = DEFAULT_FOUND,
): Promise<readonly SearchHit[]> {
  return store.search.search({ sought, limit });
}
