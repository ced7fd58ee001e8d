import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readEvents } from './events.ts';

async function* inChunks(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length)
    yield bytes.subarray(start, start + length);
}

function read(text: string, length = 1000) {
  return Array.fromAsync(readEvents(inChunks(new TextEncoder().encode(text), length)));
}

const NOTHING = { id: '', event: '', data: undefined, retryMs: undefined };

describe('the events of a stream', () => {
  it('have an id, a name and data, of one line or of many', async () => {
    assert.deepEqual(await read('event: created\nid: 7\ndata: {"a":1}\n\ndata: x\ndata:  y\n\n'), [
      { ...NOTHING, id: '7', event: 'created', data: '{"a":1}' },
      { ...NOTHING, id: '7', data: 'x\n y' },
    ]);
  });

  it('are distinguished from comments and from blocks that only set the id', async () => {
    assert.deepEqual(await read(': ping\n\nretry: 3000\nid: 5\n\n\n\n:\n\n'), [
      NOTHING,
      { ...NOTHING, id: '5', retryMs: 3000 },
      { ...NOTHING, id: '5' },
    ]);
  });

  it('ignore unknown and invalid fields', async () => {
    const [event] = await read('id: a\0b\nretry: soon\ncolour: red\ndata\nnonsense\n\n');
    assert.deepEqual(event, { ...NOTHING, data: '' });
  });

  it('are not yielded before their blank line', async () => {
    assert.deepEqual(await read('data: x\n'), []);
    assert.deepEqual(await read('data: x'), []);
  });

  it('are the same with any line end and any chunk size', async () => {
    const text = 'event: created\nid: 7\ndata: ä\n\n: ping\n\nid: 8\ndata: b\n\n';
    const expected = await read(text);
    for (const end of ['\n', '\r\n', '\r'])
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 20 }), async (length) => {
          assert.deepEqual(await read(`${text.replaceAll('\n', end)}\n`, length), expected);
        }),
        { seed: 9, numRuns: 40 },
      );
  });
});
