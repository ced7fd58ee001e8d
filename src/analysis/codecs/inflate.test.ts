import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { inflateAtMost } from './inflate.ts';

const content = Buffer.from('a line of text\n'.repeat(5000));

describe('inflating', () => {
  it('unpacks zlib, raw deflate and gzip', async () => {
    assert.deepEqual((await inflateAtMost(deflateSync(content), 'zlib', 1e6)).bytes, content);
    assert.deepEqual((await inflateAtMost(deflateRawSync(content), 'raw', 1e6)).bytes, content);
    assert.deepEqual((await inflateAtMost(gzipSync(content), 'gzip', 1e6)).bytes, content);
  });

  it('stops at the requested size, and reports the cut', async () => {
    const { bytes, cut } = await inflateAtMost(deflateSync(content), 'zlib', 1000);
    assert.deepEqual(bytes, content.subarray(0, 1000));
    assert.equal(cut, true);
  });

  it('reports no cut if the size is exact', async () => {
    const { bytes, cut } = await inflateAtMost(deflateSync(content), 'zlib', content.length);
    assert.equal(bytes.length, content.length);
    assert.equal(cut, false);
  });

  it('returns the output before damage or truncation', async () => {
    const noise = Buffer.from(Array.from({ length: 50_000 }, (_, index) => (index * index) >> 3));
    const packed = deflateSync(noise);
    const { bytes } = await inflateAtMost(packed.subarray(0, packed.length / 2), 'zlib', 1e6);
    assert.ok(bytes.length > 0);
    assert.ok(noise.subarray(0, bytes.length).equals(bytes));
  });

  it('unpacks gzip with trailing data and with any header fields', async () => {
    const small = Buffer.from('a line of text');
    for (const plain of [small, content]) {
      const packed = gzipSync(plain);
      const named = Buffer.concat([packed.subarray(0, 10), Buffer.from('\x02\0xya\0b\0cc')]);
      named[3] = 2 | 4 | 8 | 16;
      for (const head of [packed.subarray(0, 10), named]) {
        const bytes = Buffer.concat([head, packed.subarray(10), Buffer.from('BSJB, say')]);
        assert.deepEqual(await inflateAtMost(bytes, 'gzip', 1e6), { bytes: plain, cut: false });
      }
    }
    const cutName = Buffer.from('1f8b0808000000000003616161', 'hex');
    assert.equal((await inflateAtMost(cutName, 'gzip', 10)).bytes.length, 0);
  });

  it('returns nothing for input that is not packed', async () => {
    const { bytes, cut } = await inflateAtMost(Buffer.from('plain'), 'zlib', 1000);
    assert.deepEqual([bytes.length, cut], [0, false]);
  });
});
