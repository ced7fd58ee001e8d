import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

const MAX_LINES = 14;
const MAX_CHARACTERS = 4000;

export interface ExportPreview {
  readonly lines: readonly string[];
  /** Whether the export has more than these lines. */
  readonly isCut: boolean;
}

/** The first lines of an export. The rest is not transferred. */
export function exportPreviewQuery(path: string) {
  return queryOptions({
    queryKey: ['export-preview', path],
    queryFn: ({ signal }) => readFirstLines(path, signal),
    staleTime: 60_000,
    retry: false,
  });
}

async function readFirstLines(path: string, signal: AbortSignal): Promise<ExportPreview> {
  const stopping = new AbortController();
  const bytes = await client.openExport(path, AbortSignal.any([signal, stopping.signal]));
  const reader = bytes.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let isWhole = false;
  while (!isWhole && text.length <= MAX_CHARACTERS && text.split('\n').length <= MAX_LINES) {
    const { done, value } = await reader.read();
    isWhole = done;
    text += value ?? '';
  }
  if (!isWhole) stopping.abort();
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
