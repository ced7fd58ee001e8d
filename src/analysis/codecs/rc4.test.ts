import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rc4 } from './rc4.ts';

describe('RC4', () => {
  it('agrees with RFC 6229', () => {
    const zeros = Buffer.alloc(16);
    const of = (key: string) => rc4(Buffer.from(key, 'hex'), zeros).toString('hex');
    assert.equal(of('0102030405'), 'b2396305f03dc027ccc3524a0a1118a8');
    assert.equal(of('0102030405060708090a0b0c0d0e0f10'), '9ac7cc9a609d1ef7b2932899cde41b97');
  });

  it('is its own inverse', () => {
    const key = Buffer.from('key');
    const text = Buffer.from('some text');
    assert.deepEqual(rc4(key, rc4(key, text)), text);
  });
});
