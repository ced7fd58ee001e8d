import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fuzzSettings } from '../../../test/analysis/fuzz.ts';
import { build } from '../../../test/fixtures/analysis/ssdeep/recipes.ts';
import { parseTlsh } from '../../domain/samples/tlsh.ts';
import { tlsh } from './tlsh.ts';

const vectors: string[] = JSON.parse(
  readFileSync(
    new URL('../../../test/fixtures/analysis/tlsh/vectors.json', import.meta.url),
    'utf8',
  ),
);

describe('tlsh', () => {
  it('equals the output of the reference, for hundreds of inputs', () => {
    assert.ok(vectors.length >= 700);
    const others = vectors.filter((line) => {
      const [recipe = '', expected] = line.split(',');
      return (tlsh(build(recipe)) ?? '') !== expected;
    });
    assert.deepEqual(others, []);
  });

  it('has no digest for files of fewer than 50 bytes, or with too few distinct windows', () => {
    assert.equal(tlsh(Buffer.alloc(0)), undefined);
    assert.equal(tlsh(build('random 1 49')), undefined);
    assert.equal(tlsh(Buffer.alloc(100_000)), undefined);
    assert.match(tlsh(build('random 1 50')) ?? '', /^T1[0-9A-F]{70}$/);
  });

  it('depends on the bytes only, not on their position in memory', () => {
    const bytes = build('code 1 200000');
    const elsewhere = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('behind')]);
    assert.equal(tlsh(elsewhere.subarray(6, 200_006)), tlsh(bytes));
  });

  it('is a well-formed digest or none for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
        const digest = tlsh(Buffer.from(bytes));
        assert.ok(digest === undefined || parseTlsh(digest) !== undefined);
      }),
      fuzzSettings(),
    );
  });
});
