import { setTimeout as wait } from 'node:timers/promises';
import { RapsheetError } from '../../client/error.ts';
import { isRetryable, retryDelayMs } from '../../client/retry.ts';
import type { BatchLine } from '../../client/wire.ts';
import { type NumberedLine, readLines } from '../../http/requests/ndjson.ts';
import { MAX_BATCH_BYTES, MAX_LINES } from '../../http/requests/report-lines.ts';

/** More than a server takes in one line: of a longer one only so much is sent as shows that it is too long. */
const MOST_LINE_BYTES = 128 * 1024;
/** Somebody waits at the terminal: a server that is not there is not waited for, one that was there is. */
const RETRIES_AT_FIRST = 2;
const RETRIES = 8;
const CHUNK_LINES = 500;
const LINE_END = Buffer.from('\n');

/** As many lines as a server takes at once. */
export interface Batch {
  /** From 1. The same lines are always in the same batch. */
  readonly number: number;
  readonly lines: readonly NumberedLine[];
}

/** Cuts a stream of NDJSON into batches. */
export async function* readBatches(
  stream: AsyncIterable<Uint8Array>,
  { mostLines = MAX_LINES, mostBytes = MAX_BATCH_BYTES } = {},
): AsyncGenerator<Batch> {
  let number = 1;
  let lines: NumberedLine[] = [];
  let bytes = 0;
  for await (const group of readLines(stream, MOST_LINE_BYTES))
    for (const line of group) {
      const length = sentBytes(line);
      if (lines.length === mostLines || (lines.length > 0 && bytes + length > mostBytes)) {
        yield { number, lines };
        number += 1;
        lines = [];
        bytes = 0;
      }
      lines.push(line);
      bytes += length;
    }
  if (lines.length > 0) yield { number, lines };
}

/** The lines as they are, whatever is in them: it is the server that judges them. */
export async function* bytesOf({ lines }: Batch): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < lines.length; start += CHUNK_LINES)
    yield Buffer.concat(
      lines.slice(start, start + CHUNK_LINES).flatMap(({ bytes }) => [bytes, LINE_END]),
    );
}

export function sentBytes({ bytes }: NumberedLine): number {
  return bytes.length + LINE_END.length;
}

/**
 * What became of each line, once. A batch whose answer was cut off is posted again: it has a key, so that nothing is
 * taken twice.
 */
export async function* answersTo(
  { number, lines }: Batch,
  post: () => Promise<AsyncIterable<BatchLine>>,
  sleep: (ms: number) => Promise<unknown> = wait,
): AsyncGenerator<BatchLine> {
  let answered = 0;
  let failures = 0;
  while (answered < lines.length) {
    try {
      for await (const answer of after(answered, await post())) {
        answered = answer.line;
        failures = 0;
        yield answer;
      }
      if (answered < lines.length) throw cutOff();
    } catch (cause) {
      failures += 1;
      const retries = number > 1 || answered > 0 ? RETRIES : RETRIES_AT_FIRST;
      if (failures > retries || !isPassing(cause)) throw cause;
      await sleep(retryDelayMs(failures, cause, Math.random()));
    }
  }
}

async function* after(line: number, answers: AsyncIterable<BatchLine>): AsyncGenerator<BatchLine> {
  for await (const answer of answers) if (answer.line > line) yield answer;
}

function cutOff(): RapsheetError {
  return new RapsheetError('The answer was cut off.', { code: 'no_answer' });
}

function isPassing(cause: unknown): cause is RapsheetError {
  return cause instanceof RapsheetError && isRetryable(cause, 'always');
}
