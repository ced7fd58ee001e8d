import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** The scorecard shows as many days as the API has. */
export const SCORECARD_DAYS = 90;

const FRESH = { staleTime: 30_000, refetchOnMount: true } as const;

/** What became of the reports of a reporter. Free. */
export function reporterQuery(name: string) {
  return queryOptions({
    queryKey: ['reporter', name],
    queryFn: () => client.reporterStatistics(name),
    ...FRESH,
  });
}

/** How a service deals with its reports. Free. */
export function scorecardQuery(service: string) {
  return queryOptions({
    queryKey: ['feed', service, 'scorecard'],
    queryFn: () => client.serviceStatistics(service, { days: SCORECARD_DAYS }),
    ...FRESH,
  });
}
