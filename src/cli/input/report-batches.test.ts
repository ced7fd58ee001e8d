import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { RapsheetError } from '../../client/error.ts';
import type { BatchLine } from '../../client/wire.ts';
import { answersTo, type Batch, bytesOf, readBatches } from './report-batches.ts';

async function* chunks(...parts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part, 'latin1');
}

async function batches(source: AsyncIterable<Uint8Array>, most = {}) {
  const all = await Array.fromAsync(readBatches(source, most));
  return Promise.all(
    all.map(async (batch) => ({
      number: batch.number,
      lines: batch.lines.map(({ line }) => line),
      text: await text(bytesOf(batch)),
    })),
  );
}

describe('the batches of a file', () => {
  it('hold as many lines as a server takes, with the numbers they have in the file', async () => {
    assert.deepEqual(await batches(chunks('a\n\nb\r\n', 'c', 'd\ne'), { mostLines: 2 }), [
      { number: 1, lines: [1, 3], text: 'a\nb\r\n' },
      { number: 2, lines: [4, 5], text: 'cd\ne\n' },
    ]);
  });

  it('hold as many bytes as a server takes', async () => {
    assert.deepEqual(
      (await batches(chunks('aaaa\nbb\nc\ndddddddd\n'), { mostBytes: 8 })).map(({ text }) => text),
      ['aaaa\nbb\n', 'c\n', 'dddddddd\n'],
    );
  });

  it('are none where there are no lines', async () => {
    assert.deepEqual(await batches(chunks('\n\r\n', '\n')), []);
  });

  it('keep bytes that are no text as they are', async () => {
    const [batch] = await Array.fromAsync(readBatches(chunks('{"\xff\n')));
    assert.deepEqual(
      Buffer.concat(await Array.fromAsync(bytesOf(batch as Batch))),
      Buffer.from('{"\xff\n', 'latin1'),
    );
  });

  it('have of a line that is too long only as much as shows it', async () => {
    const long = 'x'.repeat(1024 * 1024);
    const [batch] = await batches(chunks(...Array.from({ length: 8 }, () => long), '\nb'));
    assert.deepEqual(batch?.lines, [1, 2]);
    assert.ok((batch?.text.length ?? 0) < 2 * long.length);
  });
});

describe('the answers to a batch', () => {
  const line = (number: number) => ({ line: number, bytes: Buffer.from('{}') });
  const batch = { number: 1, lines: [line(1), line(2), line(3)] };
  const taken = (number: number): BatchLine => ({
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

  /** Posts it as often as it takes; each time the next answer comes. */
  async function answersOf(...posts: readonly (readonly (BatchLine | Error)[])[]) {
    const rest = [...posts];
    const pauses: number[] = [];
    const seen: number[] = [];
    const post = async () => answering(...(rest.shift() ?? [cut]));
    const sleep = async (ms: number) => pauses.push(ms);
    try {
      for await (const { line } of answersTo(batch, post, sleep)) seen.push(line);
    } catch (cause) {
      return { seen, pauses: pauses.length, cause };
    }
    return { seen, pauses: pauses.length, cause: undefined };
  }

  it('come once each, also where it has to be posted again', async () => {
    const outcome = await answersOf([taken(1), cut], [cut], [taken(1), taken(2), taken(3)]);
    assert.deepEqual(outcome, { seen: [1, 2, 3], pauses: 2, cause: undefined });
  });

  it('are asked for again where they end early', async () => {
    const outcome = await answersOf([taken(1), taken(2)], [taken(1), taken(2), taken(3)]);
    assert.deepEqual(outcome, { seen: [1, 2, 3], pauses: 1, cause: undefined });
  });

  it('are given up after some attempts', async () => {
    assert.deepEqual(await answersOf([taken(1), cut]), { seen: [1], pauses: 8, cause: cut });
  });

  it('are given up sooner where none has ever come', async () => {
    assert.deepEqual(await answersOf([cut]), { seen: [], pauses: 2, cause: cut });
  });

  it('are waited for as long as some come', async () => {
    const cuts = Array.from({ length: 7 }, () => [cut]);
    const outcome = await answersOf(
      ...[[taken(1), cut], ...cuts, [taken(1), taken(2), cut], ...cuts],
      [taken(1), taken(2), taken(3)],
    );
    assert.deepEqual(outcome, { seen: [1, 2, 3], pauses: 16, cause: undefined });
  });

  it('are not asked for again where they are refused', async () => {
    const refusal = new RapsheetError('no', { code: 'role_missing', status: 403 });
    assert.deepEqual(await answersOf([refusal]), { seen: [], pauses: 0, cause: refusal });
  });
});
