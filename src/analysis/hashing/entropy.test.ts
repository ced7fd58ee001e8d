import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always } from '../../../test/always.ts';
import { entropyOf, isHighEntropy } from './entropy.ts';

/** By the definition, one value at a time. */
function expected(bytes: Uint8Array): number {
  const counts = Map.groupBy(bytes, (byte) => byte)
    .values()
    .map(({ length }) => length);
  return counts.reduce(
    (bits, count) => bits + (count / bytes.length) * Math.log2(bytes.length / count),
    0,
  );
}

describe('the entropy of bytes', () => {
  it('is zero for a single value, and for no bytes', () => {
    assert.equal(entropyOf(Buffer.alloc(0)), 0);
    assert.equal(entropyOf(Buffer.alloc(1, 9)), 0);
    assert.equal(entropyOf(Buffer.alloc(100_003, 0xff)), 0);
  });

  it('is eight bits for a uniform distribution', () => {
    assert.equal(entropyOf(Buffer.from(Uint8Array.from({ length: 2560 }, (_, at) => at))), 8);
  });

  it('is one bit for two equally frequent values', () => {
    assert.equal(entropyOf(Buffer.from('abababab')), 1);
  });

  it('includes the bytes after the last group of four', () => {
    assert.equal(entropyOf(Buffer.from('aaaab')), expected(Buffer.from('aaaab')));
  });

  it('follows its definition for any bytes', () => {
    always(
      fc.property(fc.uint8Array({ maxLength: 3000 }), (bytes) => {
        assert.ok(Math.abs(entropyOf(Buffer.from(bytes)) - expected(bytes)) < 1e-9);
      }),
    );
  });
});

describe('high entropy', () => {
  it('begins at 7.2 bits', () => {
    assert.equal(isHighEntropy(7.2, 4096), true);
    assert.equal(isHighEntropy(7.19, 4096), false);
  });

  it('requires a minimum size', () => {
    assert.equal(isHighEntropy(8, 1023), false);
    assert.equal(isHighEntropy(8, 1024), true);
  });
});
