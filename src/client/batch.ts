import { readChunks, readTextLines } from './chunks.ts';
import { RapsheetError } from './error.ts';

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
