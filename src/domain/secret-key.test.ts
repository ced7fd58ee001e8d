import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseSecretKey } from './secret-key.ts';

const KEY = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 8));

describe('a key for secrets', () => {
  it('is read in hexadecimal and in base64 of either alphabet', () => {
    const texts = [KEY.toString('hex'), KEY.toString('hex').toUpperCase()];
    for (const text of [...texts, KEY.toString('base64'), KEY.toString('base64url')])
      assert.deepEqual(parseSecretKey(text), KEY, text);
  });

  it('is nothing else', () => {
    const short = KEY.subarray(1).toString('base64');
    const long = Buffer.alloc(33).toString('base64');
    for (const text of ['', 'secret', short, long, KEY.toString('hex').slice(2), 'ä'.repeat(43)])
      assert.equal(parseSecretKey(text), undefined, text);
  });
});
