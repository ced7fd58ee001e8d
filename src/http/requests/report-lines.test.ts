import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createBody } from '../../../test/builders.ts';
import type { DraftLine } from '../../operations/reports/create-reports.ts';
import { MAX_BATCH_BYTES, MAX_LINES, readDraft, readReportLines } from './report-lines.ts';

const GOOD = JSON.stringify(createBody());

async function* pieces(...texts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function read(...texts: (string | Uint8Array)[]): Promise<DraftLine[]> {
  return (await Array.fromAsync(readReportLines(pieces(...texts), 100))).flat();
}

function codeOf(line: DraftLine | undefined): string | undefined {
  return line !== undefined && 'problem' in line ? line.problem.code : undefined;
}

describe('a line of a batch', () => {
  it('is a report like the body of a single create', async () => {
    const body = { c2Address: 'Evil[.]example:80', tags: ['rat'], confidenceScore: 3 };
    const [line] = await read(JSON.stringify(createBody(body)));
    assert.ok(line !== undefined && 'draft' in line);
    assert.deepEqual(line.draft, readDraft(createBody(body), 100));
    assert.deepEqual(line.draft.c2, { host: 'evil.example', port: 80 });
  });

  for (const [what, text, code] of [
    ['is no JSON', '{"c2Address":', 'malformed_line'],
    ['is not in UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'malformed_line'],
    ['is no object', '[]', 'invalid_body'],
    ['is null', 'null', 'invalid_body'],
    ['lacks a member', '{"c2Address":"evil.example:80"}', 'invalid_body'],
    ['has a member that is not known', GOOD.replace('{', '{"host":1,'), 'invalid_body'],
    ['is too long', `"${'x'.repeat(70_000)}"`, 'line_too_long'],
  ] as const) {
    it(`is refused if it ${what}, without affecting others`, async () => {
      const lines = await read(`${GOOD}\n`, text, `\n${GOOD}\n`);
      assert.deepEqual(lines.map(codeOf), [undefined, code, undefined]);
      assert.deepEqual(
        lines.map(({ line }) => line),
        [1, 2, 3],
      );
    });
  }

  it('is measured on the scale of its service', async () => {
    const lines = readReportLines(pieces(JSON.stringify(createBody({ confidenceScore: 11 }))), 10);
    assert.equal(codeOf((await Array.fromAsync(lines)).flat()[0]), 'invalid_body');
  });

  it('never ends the batch, for any content', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 40 })), async (texts) => {
        const noise = texts.map((text) =>
          Buffer.from(text).map((byte) => (byte === 10 ? 9 : byte)),
        );
        const lines = await read(...noise.flatMap((text) => [text, '\n']), GOOD);
        assert.equal(codeOf(lines.at(-1)), undefined);
        assert.ok(lines.slice(0, -1).every((line) => codeOf(line) !== undefined));
      }),
      { seed: 6, numRuns: 200 },
    );
  });
});

describe('the lines of a batch', () => {
  it('are at most ten thousand: the next one is refused, and nothing after it is read', async () => {
    let isReadOn = false;
    async function* stream() {
      yield Buffer.from('1\n'.repeat(MAX_LINES - 1));
      yield Buffer.from('1\n1\n1\n');
      isReadOn = true;
      yield Buffer.from('1\n');
    }
    const lines = (await Array.fromAsync(readReportLines(stream(), 100))).flat();
    assert.equal(lines.length, MAX_LINES + 1);
    assert.equal(codeOf(lines.at(-1)), 'too_many_lines');
    assert.equal(lines.at(-1)?.line, MAX_LINES + 1);
    assert.equal(codeOf(lines.at(-2)), 'invalid_body');
    assert.equal(isReadOn, false);
  });

  it('may be exactly ten thousand', async () => {
    const lines = await read('1\n'.repeat(MAX_LINES));
    assert.equal(lines.length, MAX_LINES);
    assert.ok(lines.every((line) => codeOf(line) === 'invalid_body'));
  });

  it('may not exceed the limit in total', async () => {
    const blank = Buffer.alloc(1024 * 1024, '\n');
    const many = Array.from({ length: MAX_BATCH_BYTES / blank.length }, () => blank);
    const lines = await read(`${GOOD}\n`, ...many, GOOD);
    assert.deepEqual(lines.map(codeOf), [undefined, 'body_too_large']);
  });

  it('are taken in groups that are not too large', async () => {
    const groups = await Array.fromAsync(readReportLines(pieces('1\n'.repeat(1200)), 100));
    assert.deepEqual(
      groups.map((group) => group.length),
      [500, 500, 200],
    );
  });

  it('are fewer in a group if they have many tags, or are long', async () => {
    const sizesOf = async (line: unknown, count: number) => {
      const text = `${JSON.stringify(line)}\n`.repeat(count);
      const groups = await Array.fromAsync(readReportLines(pieces(text), 100));
      return groups.map((group) => group.length);
    };
    const good = JSON.parse(GOOD) as object;
    const tags = Array.from({ length: 32 }, (_, index) => `tag ${index}`);
    assert.deepEqual(await sizesOf({ ...good, tags }, 130), [62, 62, 6]);
    const padding = ' '.repeat(40_000);
    assert.deepEqual(await sizesOf({ ...good, padding }, 10), [6, 4]);
  });
});
