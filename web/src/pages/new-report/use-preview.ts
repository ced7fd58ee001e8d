import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReportPreview } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { useSettled } from '../../components/use-settled.ts';
import { type Draft, type Problems, problemsOf, toBody } from './draft.ts';

const PAUSE_MS = 250;

/** The answer of the server about a draft that it would store. */
export type Accepted = ReportPreview & { readonly report: NonNullable<ReportPreview['report']> };

export interface Previewed {
  /** What would be stored; `undefined` while the draft is incomplete or refused. */
  readonly preview: Accepted | undefined;
  /** By field, in the words of the server. */
  readonly problems: Problems;
  readonly error: unknown;
  readonly isCurrent: boolean;
}

/** Asks the server what it would store, a moment after the last key. Stores and costs nothing. */
export function usePreview(service: string, draft: Draft): Previewed {
  const settled = useSettled(draft, PAUSE_MS);
  const body = toBody(settled);
  const { data, error, isFetching } = useQuery({
    queryKey: ['preview', service, body],
    queryFn: () => client.previewReport(service, body),
    enabled: settled.c2.trim() !== '' || settled.hash.trim() !== '',
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 60_000,
    refetchOnMount: true,
  });
  return {
    preview: error === null && isAccepted(data) ? data : undefined,
    problems: data === undefined ? {} : problemsOf(data),
    error,
    isCurrent: settled === draft && !isFetching,
  };
}

function isAccepted(preview: ReportPreview | undefined): preview is Accepted {
  return preview !== undefined && preview.report !== null;
}
