import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeHeader, FrameReader } from './frames.ts';

describe('frames', () => {
  it('are read as written, however the stream is split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string(), fc.string()), { maxLength: 5 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
        (headers, sizes) => {
          const bytes = Buffer.concat(headers.map(encodeHeader));
          const reader = new FrameReader(1 << 20);
          const received: unknown[] = [];
          for (let at = 0; at < bytes.length; ) {
            const size = sizes.next().value ?? 1;
            received.push(...reader.push(bytes.subarray(at, at + size)));
            at += size;
          }
          assert.deepEqual(
            received,
            headers.map((header) => ({ ...header })),
          );
        },
      ),
    );
  });

  it('are refused as soon as they state an excessive length', () => {
    const reader = new FrameReader(100);
    assert.throws(() => reader.push(Buffer.from([101, 0, 0, 0])), /101 bytes is too long/);
  });

  it('are refused without valid JSON, without quoting the content', () => {
    const reader = new FrameReader(100);
    const frame = Buffer.from('\x06\0\0\0secret', 'latin1');
    assert.throws(() => reader.push(frame), { message: 'a response is not valid JSON' });
  });
});
