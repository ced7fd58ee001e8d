import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fuzzSettings } from '../../../test/analysis/fuzz.ts';
import { build } from '../../../test/fixtures/analysis/ssdeep/recipes.ts';
import { parseFuzzyHash } from '../../domain/samples/fuzzy-hash.ts';
import { ssdeep } from './ssdeep.ts';

const vectors: string[] = JSON.parse(
  readFileSync(
    new URL('../../../test/fixtures/analysis/ssdeep/vectors.json', import.meta.url),
    'utf8',
  ),
);

describe('ssdeep', () => {
  it('equals the output of the tool, for hundreds of inputs', () => {
    assert.ok(vectors.length >= 420);
    const others = vectors.filter((line) => {
      const [recipe = '', expected] = line.split(',');
      return ssdeep(build(recipe)) !== expected;
    });
    assert.deepEqual(others, []);
  });

  it('is empty for empty files and for zeros', () => {
    assert.equal(ssdeep(Buffer.alloc(0)), '3::');
    assert.equal(ssdeep(Buffer.alloc(100_000)), '3::');
  });

  it('has one character per piece, and one for an empty rest', () => {
    assert.equal(ssdeep(Buffer.from('a')), '3:E:E');
  });

  it('counts no more pieces than fit', () => {
    const monotonous = ssdeep(Buffer.alloc(1_000_000, 0xa6));
    assert.equal(monotonous, `3:fT${'D'.repeat(61)}3:n`);
  });

  it('depends on the bytes only, not on their position in memory', () => {
    const bytes = build('code 1 5000');
    const elsewhere = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('behind')]);
    assert.equal(ssdeep(elsewhere.subarray(6, 5006)), ssdeep(bytes));
  });

  it('is a well-formed hash for any bytes', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 600 }),
      fc.tuple(fc.nat(255), fc.nat(3000)).map(([value, size]) => new Uint8Array(size).fill(value)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const hash = parseFuzzyHash(ssdeep(Buffer.concat(pieces)));
        assert.ok(hash !== undefined && hash.second.length <= 32);
      }),
      fuzzSettings(),
    );
  });
});
