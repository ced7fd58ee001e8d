import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { RapsheetError } from '../../client/error.ts';
import type { BatchLine } from '../../client/wire.ts';
import { answersTo, type Batch, bytesOf, readBatches } from './report-batches.ts';

async function* chunks(...parts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part, 'latin1');
}

async function batches(source: AsyncIterable<Uint8Array>, limits = {}) {
  const all = await Array.fromAsync(readBatches(source, limits));
  return Promise.all(
    all.map(async (batch) => ({
      number: batch.number,
      lines: batch.lines.map(({ line }) => line),
      text: await text(bytesOf(batch)),
    })),
  );
}

describe('the batches of a file', () => {
  it('have at most the given number of lines, numbered as in the file', async () => {
    assert.deepEqual(await batches(chunks('a\n\nb\r\n', 'c', 'd\ne'), { maxLines: 2 }), [
      { number: 1, lines: [1, 3], text: 'a\nb\r\n' },
      { number: 2, lines: [4, 5], text: 'cd\ne\n' },
    ]);
  });

  it('have at most the given number of bytes', async () => {
    assert.deepEqual(
      (await batches(chunks('aaaa\nbb\nc\ndddddddd\n'), { maxBytes: 8 })).map(({ text }) => text),
      ['aaaa\nbb\n', 'c\n', 'dddddddd\n'],
    );
  });

  it('are none for a file without lines', async () => {
    assert.deepEqual(await batches(chunks('\n\r\n', '\n')), []);
  });

  it('keep bytes that are not valid text', async () => {
    const [batch] = await Array.fromAsync(readBatches(chunks('{"\xff\n')));
    assert.deepEqual(
      Buffer.concat(await Array.fromAsync(bytesOf(batch as Batch))),
      Buffer.from('{"\xff\n', 'latin1'),
    );
  });

  it('truncate a line that is too long', async () => {
    const long = 'x'.repeat(1024 * 1024);
    const [batch] = await batches(chunks(...Array.from({ length: 8 }, () => long), '\nb'));
    assert.deepEqual(batch?.lines, [1, 2]);
    assert.ok((batch?.text.length ?? 0) < 2 * long.length);
  });
});

describe('the answers to a batch', () => {
  const line = (number: number) => ({ line: number, bytes: Buffer.from('{}') });
  const batch = { number: 1, lines: [line(1), line(2), line(3)] };
  const accepted = (number: number): BatchLine => ({
    line: number,
    id: `id-${number}`,
    successful: true,
  });
  const cut = new RapsheetError('cut', { code: 'no_answer' });

  async function* answering(...answers: readonly (BatchLine | Error)[]): AsyncGenerator<BatchLine> {
    for (const answer of answers) {
      if (answer instanceof Error) throw answer;
      yield answer;
    }
  }

  /** Reads the answers of a server that answers each post with the next list. */
  async function answersOf(...posts: readonly (readonly (BatchLine | Error)[])[]) {
    const remaining = [...posts];
    const pauses: number[] = [];
    const seen: number[] = [];
    const post = async () => answering(...(remaining.shift() ?? [cut]));
    const sleep = async (ms: number) => pauses.push(ms);
    try {
      for await (const { line } of answersTo(batch, post, sleep)) seen.push(line);
    } catch (cause) {
      return { seen, pauses: pauses.length, cause };
    }
    return { seen, pauses: pauses.length, cause: undefined };
  }

  it('are yielded once each, even if the batch is posted again', async () => {
    const outcome = await answersOf(
      [accepted(1), cut],
      [cut],
      [accepted(1), accepted(2), accepted(3)],
    );
    assert.deepEqual(outcome, { seen: [1, 2, 3], pauses: 2, cause: undefined });
  });

  it('are requested again if they end early', async () => {
    const outcome = await answersOf(
      [accepted(1), accepted(2)],
      [accepted(1), accepted(2), accepted(3)],
    );
    assert.deepEqual(outcome, { seen: [1, 2, 3], pauses: 1, cause: undefined });
  });

  it('fail after eight retries', async () => {
    assert.deepEqual(await answersOf([accepted(1), cut]), { seen: [1], pauses: 8, cause: cut });
  });

  it('fail after two retries if none has arrived yet', async () => {
    assert.deepEqual(await answersOf([cut]), { seen: [], pauses: 2, cause: cut });
  });

  it('reset the number of retries when one arrives', async () => {
    const cuts = Array.from({ length: 7 }, () => [cut]);
    const outcome = await answersOf(
      ...[[accepted(1), cut], ...cuts, [accepted(1), accepted(2), cut], ...cuts],
      [accepted(1), accepted(2), accepted(3)],
    );
    assert.deepEqual(outcome, { seen: [1, 2, 3], pauses: 16, cause: undefined });
  });

  it('are not requested again after a refusal', async () => {
    const refusal = new RapsheetError('no', { code: 'role_missing', status: 403 });
    assert.deepEqual(await answersOf([refusal]), { seen: [], pauses: 0, cause: refusal });
  });
});
