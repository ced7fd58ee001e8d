import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseJsonLine, readLines } from './ndjson.ts';

async function* inPieces(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length)
    yield bytes.subarray(start, start + length);
}

async function linesOf(text: string, length = 1000, most = 100) {
  const groups = await Array.fromAsync(readLines(inPieces(Buffer.from(text), length), most));
  return groups.flat().map(({ line, bytes }) => [line, bytes.toString()]);
}

describe('the lines of a body', () => {
  it('are those that are not empty, by the number that an editor shows', async () => {
    assert.deepEqual(await linesOf('a\n\n\r\nb\r\nc'), [
      [1, 'a'],
      [4, 'b\r'],
      [5, 'c'],
    ]);
  });

  it('are the same for any chunks of the bytes', async () => {
    const texts = fc.array(fc.constantFrom('a', 'ä', '\n', '\r', '{"x":1}'));
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 9 }), async (parts, length) => {
        const text = parts.join('');
        assert.deepEqual(await linesOf(text, length), await linesOf(text));
      }),
      { seed: 5, numRuns: 200 },
    );
  });

  it('are returned together if they arrived together', async () => {
    const groups = readLines(inPieces(Buffer.from('a\nb\nc\nd\n'), 4), 100);
    assert.deepEqual(
      (await Array.fromAsync(groups)).map((group) => group.length),
      [2, 2],
    );
  });

  it('are truncated if they are too long', async () => {
    const groups = readLines(inPieces(Buffer.from(`${'x'.repeat(10_000)}\ny`), 10), 100);
    const [long, short] = (await Array.fromAsync(groups)).flat();
    assert.ok(long !== undefined && long.bytes.length > 100 && long.bytes.length <= 120);
    assert.deepEqual(short, { line: 2, bytes: Buffer.from('y') });
  });

  it('are none for an empty body', async () => {
    assert.deepEqual(await linesOf(''), []);
    assert.deepEqual(await linesOf('\n\n'), []);
  });

  it('end when the stream fails, without the partial line', async () => {
    async function* broken() {
      yield Buffer.from('a\nhalf');
      throw new Error('gone');
    }
    const seen: number[] = [];
    await assert.rejects(async () => {
      for await (const group of readLines(broken(), 100))
        seen.push(...group.map(({ line }) => line));
    }, /gone/);
    assert.deepEqual(seen, [1]);
  });
});

describe('a line', () => {
  it('is JSON in UTF-8, or invalid', () => {
    assert.deepEqual(parseJsonLine(Buffer.from('{"a":1}\r')), { value: { a: 1 } });
    assert.deepEqual(parseJsonLine(Buffer.from('null')), { value: null });
    assert.equal(parseJsonLine(Buffer.from('{')), undefined);
    assert.equal(parseJsonLine(Buffer.from([0x22, 0xff, 0x22])), undefined);
  });
});
