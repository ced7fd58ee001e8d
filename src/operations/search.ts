import { onlyIdentifiers, type SearchInput } from '../domain/search-query.ts';
import type { SearchAnswer } from '../ports/search-store.ts';
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
): Promise<SearchAnswer> {
  return store.search.search({ input, limit });
}

export const MAX_LISTED_SEARCHES = 100;
export const DEFAULT_LISTED_HITS = 5;
export const MAX_LISTED_HITS = 10;

/** `undefined`: the line is no hash, address, host or network. */
export type ListedAnswer = SearchAnswer | undefined;

/**
 * Searches for each line of a list, in its order, one after the other: other requests are answered
 * in between. Words are not searched, because a list of them costs much and finds little.
 */
export async function searchList(
  { store }: Pick<Dependencies, 'store'>,
  lines: readonly (SearchInput | undefined)[],
  limit: number = DEFAULT_LISTED_HITS,
): Promise<readonly ListedAnswer[]> {
  const answers: ListedAnswer[] = [];
  for (const line of lines) {
    const input = line && onlyIdentifiers(line);
    answers.push(input && (await store.search.search({ input, limit })));
  }
  return answers;
}
