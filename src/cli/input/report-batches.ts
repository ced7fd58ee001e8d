import { setTimeout as defaultSleep } from 'node:timers/promises';
import { RapsheetError } from '../../client/error.ts';
import { isRetryable, retryDelayMs } from '../../client/retry.ts';
import type { BatchLine } from '../../client/wire.ts';
import { type NumberedLine, readLines } from '../../http/requests/ndjson.ts';
import { MAX_BATCH_BYTES, MAX_LINES } from '../../http/requests/report-lines.ts';

/**
 * Above the limit of the server: a longer line is truncated to this, and the server still refuses
 * it.
 */
const MAX_SENT_LINE_BYTES = 128 * 1024;
/** A user at the terminal should not wait for an absent server, but for one that restarts. */
const FIRST_RETRIES = 2;
const RETRIES = 8;
const CHUNK_LINES = 500;
const LINE_END = Buffer.from('\n');

/** The lines of one request, within the limits of the server. */
export interface Batch {
  /** Starts at 1. The same file is always divided into the same batches. */
  readonly number: number;
  readonly lines: readonly NumberedLine[];
}

/** Divides a stream of NDJSON into batches. */
export async function* readBatches(
  stream: AsyncIterable<Uint8Array>,
  { maxLines = MAX_LINES, maxBytes = MAX_BATCH_BYTES } = {},
): AsyncGenerator<Batch> {
  let number = 1;
  let lines: NumberedLine[] = [];
  let bytes = 0;
  for await (const group of readLines(stream, MAX_SENT_LINE_BYTES))
    for (const line of group) {
      const length = sentBytes(line);
      if (lines.length === maxLines || (lines.length > 0 && bytes + length > maxBytes)) {
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

/** The unchanged lines: the server validates them. */
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
 * Yields the result of each line once. A batch whose answer was cut off is posted again; its
 * idempotency key prevents duplicates.
 */
export async function* answersTo(
  { number, lines }: Batch,
  post: () => Promise<AsyncIterable<BatchLine>>,
  sleep: (ms: number) => Promise<unknown> = defaultSleep,
): AsyncGenerator<BatchLine> {
  let answered = 0;
  let failures = 0;
  while (answered < lines.length) {
    try {
      for await (const answer of skipUntil(answered, await post())) {
        answered = answer.line;
        failures = 0;
        yield answer;
      }
      if (answered < lines.length) throw cutOff();
    } catch (cause) {
      failures += 1;
      const retries = number > 1 || answered > 0 ? RETRIES : FIRST_RETRIES;
      if (failures > retries || !isTransient(cause)) throw cause;
      await sleep(retryDelayMs(failures, cause, Math.random()));
    }
  }
}

async function* skipUntil(
  line: number,
  answers: AsyncIterable<BatchLine>,
): AsyncGenerator<BatchLine> {
  for await (const answer of answers) if (answer.line > line) yield answer;
}

function cutOff(): RapsheetError {
  return new RapsheetError('The answer was cut off.', { code: 'no_answer' });
}

function isTransient(cause: unknown): cause is RapsheetError {
  return cause instanceof RapsheetError && isRetryable(cause, 'always');
}
