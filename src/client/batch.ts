import { readChunks, readTextLines } from './chunks.ts';
import { RapsheetError } from './error.ts';

/** How fast the server accepts the lines of a batch. */
export interface BatchPace {
  /** Lines that are accepted at once. */
  readonly remaining: number;
  /** Lines a second, after that. */
  readonly perSecond: number;
  /** What the server expects the batch to take; `undefined` if it is not slowed, or not known. */
  readonly seconds: number | undefined;
}

/** `undefined` if creates are not limited. */
export function parsePace(headers: Headers): BatchPace | undefined {
  const rate = /^\d{1,12}(?:\.\d{1,6})?$/.exec(headers.get('x-batch-rate') ?? '');
  const left = /^"create";r=(\d{1,15});/.exec(headers.get('ratelimit') ?? '');
  if (rate === null || left === null) return undefined;
  const seconds = /^\d{1,10}$/.exec(headers.get('x-batch-seconds') ?? '');
  return {
    remaining: Number(left[1]),
    perSecond: Number(rate[0]),
    seconds: seconds === null ? undefined : Number(seconds[0]),
  };
}

/** The results of a batch, one JSON object per line. Throws if the answer was cut off. */
export async function* readBatch<Result>(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Result, void> {
  const lines = readTextLines(readChunks(body));
  try {
    for (;;) {
      const next = await lines.next().catch(() => cutOff());
      if (next.done) return;
      yield JSON.parse(next.value) as Result;
    }
  } finally {
    await lines.return().catch(() => undefined);
  }
}

function cutOff(): never {
  throw new RapsheetError(
    'The answer was cut off. The lines it reported are done; send the same lines with the same key to get the results of the others.',
    { code: 'no_answer' },
  );
}
