import {
  type InfiniteData,
  infiniteQueryOptions,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { FeedEvent } from '../../../../src/client/follow.ts';
import type { ExtendedReport, ReportPage } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { useLive } from '../../api/live/live.ts';
import { type FeedFilter, matches, toListOptions } from './filters.ts';

const PAGE_SIZE = 200;

function reportsQuery(service: string, filter: FeedFilter) {
  return infiniteQueryOptions({
    queryKey: ['feed', service, 'reports', filter],
    queryFn: ({ pageParam }) =>
      client.listReports(service, {
        ...toListOptions(filter),
        limit: PAGE_SIZE,
        cursor: pageParam === '' ? undefined : pageParam,
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

/**
 * The reports of a feed, as far as they were scrolled, and those that arrived since. New reports
 * wait until they are asked for, so that nothing moves under the reader; changes show at once.
 */
export function useReports(service: string, filter: FeedFilter) {
  const options = reportsQuery(service, filter);
  const cache = useQueryClient();
  const query = useInfiniteQuery(options);
  const [arrived, setArrived] = useState<readonly ExtendedReport[]>([]);
  const pages = query.data?.pages;
  const reports = useMemo(() => (pages ?? []).flatMap((page) => page.reports), [pages]);

  useLive((event) => {
    if (event.kind === 'reset') {
      void cache.invalidateQueries({ queryKey: options.queryKey });
      return;
    }
    const { change } = event;
    if (change.service !== service) return;
    if (change.type === 'created' && change.report !== undefined) {
      const { report } = change;
      if (matches(report, filter)) setArrived((earlier) => [report, ...earlier]);
      return;
    }
    setArrived((earlier) => apply(earlier, event));
    cache.setQueryData(options.queryKey, (data) => data && applyToPages(data, event));
  });

  const showArrived = () => {
    cache.setQueryData(options.queryKey, (data) => data && prepend(data, arrived));
    setArrived([]);
  };
  return { ...query, reports, arrived: arrived.length, showArrived };
}

type Pages = InfiniteData<ReportPage, unknown>;

function prepend(data: Pages, arrived: readonly ExtendedReport[]): Pages {
  const [first, ...others] = data.pages;
  if (first === undefined) return data;
  const known = new Set(first.reports.map(({ id }) => id));
  const fresh = arrived.filter(({ id }) => !known.has(id));
  return { ...data, pages: [{ ...first, reports: [...fresh, ...first.reports] }, ...others] };
}

function applyToPages(data: Pages, event: FeedEvent): Pages {
  return {
    ...data,
    pages: data.pages.map((page) => {
      const reports = apply(page.reports, event);
      return reports === page.reports ? page : { ...page, reports };
    }),
  };
}

/** The same array if nothing of it has changed, so that React renders nothing again. */
function apply(reports: readonly ExtendedReport[], event: FeedEvent): readonly ExtendedReport[] {
  if (event.kind !== 'change') return reports;
  const { id, report, type } = event.change;
  const index = reports.findIndex((one) => one.id === id);
  if (index < 0) return reports;
  if (type === 'deleted') return reports.toSpliced(index, 1);
  return report === undefined ? reports : reports.with(index, report);
}
