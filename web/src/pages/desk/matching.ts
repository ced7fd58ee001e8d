import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ExtendedReport, SetStatusBody } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import type { StatusCounts } from '../../api/status-counts.ts';
import { showError, showToast } from '../../components/overlays/toasts.tsx';
import { count, formatNumber, parseTime } from '../../text/format.ts';
import { type FeedFilter, toListOptions } from '../feed/filters.ts';
import { isNarrowed } from './desk-filter.ts';
import { matchCountQuery } from './match-count.ts';

type DeskFilter = FeedFilter & { readonly status: string };

interface Known {
  readonly counts: StatusCounts | undefined;
  /** Whether more reports match than are loaded. */
  readonly hasMore: boolean;
}

/** How many reports match the filter, in words: the server counts at most 10,000 for a filter. */
export function useMatching(
  service: string,
  filter: DeskFilter,
  { counts, hasMore }: Known,
): string | undefined {
  const isCounted = hasMore && isNarrowed(filter);
  const { data } = useQuery({ ...matchCountQuery(service, filter), enabled: isCounted });
  if (isCounted) return data && `${formatNumber(data.total)}${data.isLowerBound ? '+' : ''}`;
  const number = counts?.[filter.status as keyof StatusCounts];
  return number === undefined ? undefined : formatNumber(number);
}

/** No later than the newest report that is shown: nobody has seen those that arrive meanwhile. */
export function until(listed: readonly ExtendedReport[]): FeedFilter {
  const newest = Math.max(...listed.map(({ reportedAt }) => parseTime(reportedAt).getTime()));
  if (!Number.isFinite(newest)) return {};
  return { created_before: `${new Date(newest + 1000).toISOString().slice(0, 19)}Z` };
}

/** Sets the status of all reports that match, in one call. */
export function useSetAll(service: string, filter: FeedFilter) {
  const cache = useQueryClient();
  return async (body: SetStatusBody): Promise<void> => {
    try {
      const { changed } = await client.setStatuses(service, { filter: toBody(filter), ...body });
      showToast({ text: `${count(changed, 'report')} set to ${body.status}.` });
    } catch (error) {
      showError(error);
    }
    void cache.invalidateQueries({ queryKey: ['feed', service] });
  };
}

type FilterBody = NonNullable<Parameters<typeof client.setStatuses>[1]['filter']>;

/** In a body, numbers and booleans are those of JSON. */
function toBody(filter: FeedFilter): FilterBody {
  const { port, min_confidence, misrouted } = filter;
  return {
    ...(toListOptions(filter) as FilterBody),
    ...(port !== undefined && { port: Number(port) }),
    ...(min_confidence !== undefined && { min_confidence: Number(min_confidence) }),
    ...(misrouted !== undefined && { misrouted: misrouted === 'true' }),
  };
}
