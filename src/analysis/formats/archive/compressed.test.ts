import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { inspect } from '../../../../test/analysis/findings.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { FUZZ_RUNS, fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { compressed } from './compressed.ts';

const NOTE = Buffer.from('A harmless note for tests.\n'.repeat(40));
const MIB = 1024 * 1024;

const KINDS: readonly (readonly [ending: string, tag: string])[] = [
  ['gz', 'GZIP'],
  ['bz2', 'BZIP2'],
  ['xz', 'XZ'],
  ['lzma', 'LZMA'],
  ['zst', 'ZSTD'],
];

describe('compressed content', () => {
  for (const [ending, tag] of KINDS) {
    it(`is unpacked, and named after the file (${ending})`, async () => {
      const name = `note.txt.${ending}`;
      const found = await inspect(compressed, fixture(`analysis/archive/${name}`), { name });
      assert.deepEqual(found.nested, [{ name: 'note.txt', bytes: NOTE }]);
      assert.deepEqual([...found.tags.keys()], [tag]);
    });
  }

  it('may be a bare zlib stream', async () => {
    const found = await inspect(compressed, deflateSync(NOTE));
    assert.deepEqual(found.nested, [{ name: 'content', bytes: NOTE }]);
    assert.deepEqual([...found.tags.keys()], ['ZLIB']);
  });

  it('is not every text that begins with an x', () => {
    for (const text of ['x^2 + y^2 = 1, as everybody knows', 'x\x9c', 'xz'])
      assert.equal(compressed.matches({ bytes: Buffer.from(text, 'latin1') } as never), false);
  });

  it('may state a name, which is judged like any other', async () => {
    const plain = gzipSync(NOTE);
    const named = Buffer.concat([
      plain.subarray(0, 10),
      Buffer.from('../up.pdf.exe\0'),
      plain.subarray(10),
    ]);
    named[3] = 8;
    const found = await inspect(compressed, named, { name: 'x.gz' });
    assert.deepEqual(found.nested, [{ name: '../up.pdf.exe', bytes: NOTE }]);
    assert.deepEqual([...found.tags.keys()], ['GZIP', 'PATH_TRAVERSAL', 'DOUBLE_EXTENSION']);
  });

  it('may be followed by other data', async () => {
    const found = await inspect(compressed, Buffer.concat([gzipSync(NOTE), Buffer.from('more')]));
    assert.deepEqual(
      found.nested.map(({ bytes }) => bytes),
      [NOTE],
    );
  });

  it('is a bomb by its ratio, and its beginning is analysed', async () => {
    const zeros = Buffer.alloc(64 * MIB);
    for (const bytes of [gzipSync(zeros), zstdCompressSync(zeros)]) {
      const found = await inspect(compressed, bytes);
      assert.ok(found.tags.has('ARCHIVE_BOMB'));
      assert.equal(found.limits.length, 1);
      const [beginning] = found.nested;
      assert.ok(beginning !== undefined && beginning.bytes.length <= 16 * MIB);
    }
  });

  it('is cut at the byte limit', async () => {
    const bytes = gzipSync(Buffer.alloc(2 * MIB, 'abcdefgh'));
    const found = await inspect(compressed, bytes, { bytes: MIB });
    assert.equal(found.nested[0]?.bytes.length, MIB);
    assert.equal(found.limits.length, 1);
  });

  for (const [ending] of KINDS) {
    it(`is inspected without an exception when damaged (${ending})`, async () => {
      const isSeven = !['gz', 'zst'].includes(ending);
      await fc.assert(
        fc.asyncProperty(
          hostileVariants(fixture(`analysis/archive/note.txt.${ending}`)),
          async (bytes) => {
            const found = await inspect(compressed, bytes, { bytes: MIB });
            assert.ok(found.budget.bytesLeft >= 0);
          },
        ),
        { ...fuzzSettings(), numRuns: isSeven ? Math.ceil(FUZZ_RUNS / 15) : FUZZ_RUNS },
      );
    });
  }
});
