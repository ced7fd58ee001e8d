import { queryOptions } from '@tanstack/react-query';
import type { ExportOptions } from '../../../src/client/feeds.ts';
import { client } from './client.ts';

const MAX_LINES = 14;
const MAX_CHARACTERS = 4000;

export interface ExportPreview {
  readonly lines: readonly string[];
  /** Whether the export has more than these lines. */
  readonly isCut: boolean;
}

interface PreviewRequest extends Pick<ExportOptions, 'filter' | 'options'> {
  readonly format: string;
}

/** The first lines of an export. The rest is not transferred. */
export function exportPreviewQuery(service: string, request: PreviewRequest) {
  return queryOptions({
    queryKey: ['export-preview', service, request],
    queryFn: ({ signal }) => readFirstLines(service, request, signal),
    staleTime: 60_000,
    retry: false,
  });
}

async function readFirstLines(
  service: string,
  { format, ...options }: PreviewRequest,
  signal: AbortSignal,
): Promise<ExportPreview> {
  const file = await client.exportFeed(service, format, { ...options, signal });
  if (file === undefined) return { lines: [], isCut: false };
  const reader = file.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let isWhole = false;
  while (!isWhole && text.length <= MAX_CHARACTERS && text.split('\n').length <= MAX_LINES) {
    const { done, value } = await reader.read();
    isWhole = done;
    text += decoder.decode(value, { stream: true });
  }
  if (!isWhole) await reader.cancel();
  return firstLines(text, isWhole);
}

function firstLines(text: string, isWhole: boolean): ExportPreview {
  const all = text.slice(0, MAX_CHARACTERS).replace(/\n$/, '').split('\n');
  const lines = all.slice(0, MAX_LINES).map((line) => line.replace(/\r$/, ''));
  return {
    lines,
    isCut: !isWhole || text.length > MAX_CHARACTERS || all.length > lines.length,
  };
}
