import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseEncoding, type Encoding } from './accept-encoding.ts';

const BOTH: readonly Encoding[] = ['br', 'gzip'];

describe('the encoding of a file', () => {
  for (const [header, expected] of [
    [undefined, undefined],
    ['', undefined],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['deflate', undefined],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0.8,gzip;q=0.8', 'br'],
    ['br ; q=0 , gzip', 'gzip'],
    ['br;q=0.000, gzip;q=0.0', undefined],
    ['br;q=0.001', 'br'],
    ['gzip;q=0.5, identity', undefined],
    ['gzip;q=0.5, identity;q=0.5', 'gzip'],
    ['identity;q=0', undefined],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0', undefined],
    ['*;q=0, gzip', 'gzip'],
    ['br;q=2, gzip;q=0.1', 'gzip'],
    ['br;q=nonsense, gzip;q=0.1', 'gzip'],
    ['brotli, gzipped', undefined],
    [',,;q=1,', undefined],
  ] as const)
    it(`for ${JSON.stringify(header)} is ${expected ?? 'none'}`, () => {
      assert.equal(chooseEncoding(BOTH, header), expected);
    });

  it('is one of which there is a copy', () => {
    assert.equal(chooseEncoding([], 'br, gzip'), undefined);
    assert.equal(chooseEncoding(['gzip'], 'br, gzip;q=0.1'), 'gzip');
  });
});
