import { createHash } from 'node:crypto';
import type { Target } from './target.ts';

/** The maximum of lines in a bulk create. */
const LINES_PER_CALL = 10_000;

export interface FillOptions {
  readonly service: string;
  readonly count: number;
  /** Additional members of the report with that index. */
  member?(index: number): object;
}

/** Fills a feed by bulk creates. */
export async function fillFeed(target: Target, options: FillOptions): Promise<void> {
  for (let from = 0; from < options.count; from += LINES_PER_CALL) {
    const to = Math.min(from + LINES_PER_CALL, options.count);
    const lines = Array.from({ length: to - from }, (_, index) => lineOf(options, from + index));
    const answer = await target.call('researcher', `/feed/${options.service}/reports`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`a bulk create was refused: ${text}`);
    const refused = text.split('\n').find((line) => line.includes('"successful":false'));
    if (refused !== undefined) throw new Error(`a report was refused: ${refused}`);
  }
}

function lineOf({ member }: FillOptions, index: number): string {
  const c2Address = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}:443`;
  return JSON.stringify({
    c2Address,
    file256Hash: sha256Of(`file ${index}`),
    tags: ['rat', `campaign-${index % 50}`],
    confidenceScore: index % 101,
    ...member?.(index),
  });
}

export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
