import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearest } from './nearest.ts';

const WORDS = ['lookup', 'feed list', 'feed bulk', 'balance', 'backup', 'c2'];

describe('the nearest word', () => {
  for (const [typed, expected] of [
    ['lokup', 'lookup'],
    ['lookpu', 'lookup'],
    ['feed lst', 'feed list'],
    ['fede list', 'feed list'],
    ['bal', 'balance'],
    ['c3', 'c2'],
    ['feed', undefined],
    ['b', undefined],
    ['nothing', undefined],
    ['', undefined],
  ] as const)
    it(`of ${JSON.stringify(typed)} is ${expected ?? 'none'}`, () => {
      assert.equal(nearest(typed, WORDS), expected);
    });
});
