import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { RapsheetError } from '../../../../src/client/error.ts';
import type { ReportPreview } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { type Draft, type Problems, problemsOf, toBody } from './draft.ts';

const PAUSE_MS = 250;

export interface Previewed {
  /** What would be stored; `undefined` while the draft is incomplete or refused. */
  readonly preview: ReportPreview | undefined;
  /** By field, in the words of the server. */
  readonly problems: Problems;
  /** A failure that is not about the draft. */
  readonly failure: unknown;
  readonly isCurrent: boolean;
}

/** Asks the server what it would store, a moment after the last key. Stores and costs nothing. */
export function usePreview(service: string, draft: Draft): Previewed {
  const settled = useSettled(draft);
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
  const refusal =
    error instanceof RapsheetError && error.code === 'invalid_body' ? error : undefined;
  return {
    preview: error === null ? data : undefined,
    problems: refusal === undefined ? {} : problemsOf(refusal.message),
    failure: refusal === undefined ? error : null,
    isCurrent: settled === draft && !isFetching,
  };
}

function useSettled(draft: Draft): Draft {
  const [settled, setSettled] = useState(draft);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(draft), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  return settled;
}
