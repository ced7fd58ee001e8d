import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  challengeOf,
  findChallenge,
  formatToken,
  hasRecords,
  recordNameOf,
  suffixOf,
  TOKEN_BYTES,
} from './challenge.ts';

describe('a challenge', () => {
  it('is for the suffix of a pattern', () => {
    assert.equal(suffixOf('*.ply.example'), 'ply.example');
    assert.equal(suffixOf('ply.example'), 'ply.example');
    assert.equal(recordNameOf('ply.example'), '_rapsheet.ply.example');
    assert.equal(hasRecords('ply.example'), true);
    assert.equal(hasRecords('192.0.2.1'), false);
  });

  it('has a token of 192 bits that needs no quotes in a zone file', () => {
    assert.match(formatToken(new Uint8Array(TOKEN_BYTES).fill(251)), /^[\w-]{32}$/);
  });

  it('is found if one text is equal to it, apart from white space around it', () => {
    assert.equal(findChallenge(['x', `\t${challengeOf('a')}\r`], 'a'), 'found');
    assert.equal(findChallenge([challengeOf('b'), challengeOf('a')], 'a'), 'found');
    assert.equal(findChallenge([challengeOf('b')], 'a'), 'other');
    assert.equal(findChallenge([challengeOf('aa')], 'a'), 'other');
    assert.equal(findChallenge([`see ${challengeOf('a')}`, '', 'a'], 'a'), 'absent');
    assert.equal(findChallenge([], 'a'), 'absent');
  });
});
