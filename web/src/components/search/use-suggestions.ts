import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { servicesQuery } from '../../api/services.ts';
import { useSettled } from '../use-settled.ts';
import { MAX_QUERY } from './search-target.ts';
import { type SuggestionGroup, suggestionsOf } from './suggestions.ts';

const TYPING_MS = 150;
const MIN_LENGTH = 2;

/** Searching is free. */
function suggestionQuery(text: string) {
  return queryOptions({
    queryKey: ['suggestions', text],
    queryFn: async () => (await client.search(text, { limit: 12 })).results,
    staleTime: 10_000,
    gcTime: 60_000,
    refetchOnMount: true,
    placeholderData: keepPreviousData,
    enabled: text.length >= MIN_LENGTH && text.length <= MAX_QUERY,
  });
}

/** Suggestions for what is typed; none while the field is not used. */
export function useSuggestions(text: string, isUsed: boolean): readonly SuggestionGroup[] {
  const query = useSettled(text.trim(), TYPING_MS);
  const services = useQuery({ ...servicesQuery, enabled: isUsed });
  const { data: results = [] } = useQuery({
    ...suggestionQuery(query),
    ...(!isUsed && { enabled: false }),
  });
  if (!isUsed) return [];
  return suggestionsOf(text, {
    services: services.data ?? [],
    results: text.trim().length < MIN_LENGTH ? [] : results,
  });
}
