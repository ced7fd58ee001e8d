import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accountNameKey, parseAccountName, parseNewAccountName } from './account-name.ts';

describe('the name of an account', () => {
  it('must not look like the id of one', () => {
    assert.equal(parseAccountName('0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80'), undefined);
  });

  it('may be any visible text', () => {
    for (const name of ['a', 'alice', 'Alice & Bob', 'Jürgen', '研究員', 'x'.repeat(64)])
      assert.equal(parseAccountName(name), name);
  });

  it('has from 1 to 64 characters', () => {
    assert.equal(parseAccountName(''), undefined);
    assert.equal(parseAccountName('x'.repeat(65)), undefined);
  });

  it('is counted in characters, not in code units', () => {
    assert.equal(parseAccountName('𝔛'.repeat(64)), '𝔛'.repeat(64));
    assert.equal(parseAccountName('𝔛'.repeat(65)), undefined);
  });

  it('has no space at its ends', () => {
    for (const name of [' alice', 'alice ', ' ']) assert.equal(parseAccountName(name), undefined);
  });

  it('has no invisible character', () => {
    for (const name of ['al\nice', 'al\0ice', 'alice\u200b', '\u202ealice', '\ud800'])
      assert.equal(parseAccountName(name), undefined);
  });
});

describe('accountNameKey', () => {
  it('is the same for names that differ in case, in any script', () => {
    for (const [one, other] of [
      ['admin', 'ADMIN'],
      ['Straße', 'STRASSE'],
      ['Вера', 'вера'],
      ['ΝΊΚΟΣ', 'Νίκος'],
      ['İzmir', 'izmir'],
    ] as const)
      assert.equal(accountNameKey(one), accountNameKey(other), `${one} ${other}`);
  });

  it('is the same for names that look alike', () => {
    for (const [one, other] of [
      ['admin', 'аdmin'],
      ['admin', 'ａｄｍｉｎ'],
      ['admin', 'adm1n'],
      ['alice', 'aIice'],
      ['alice', 'a|ice'],
      ['cope', 'соре'],
      ['TOKIO', 'ΤΟΚΙΟ'],
      ['bot', 'b0t'],
      ['ply-desk', 'ply–desk'],
      ['ply desk', 'ply  desk'],
      ["o'neil", 'o’neil'],
      ['Zoë', 'Zoe\u0308'],
    ] as const)
      assert.equal(accountNameKey(one), accountNameKey(other), `${one} ${other}`);
  });

  it('differs for other names', () => {
    const names = [
      'admin',
      'admins',
      'zoe',
      'zoë',
      'ply-desk',
      'plydesk',
      'ply_desk',
      'вера',
      '名',
    ];
    assert.equal(new Set(names.map(accountNameKey)).size, names.length);
  });
});

describe('parseNewAccountName', () => {
  it('accepts names of one script, with digits and signs, and East Asian ones with Latin', () => {
    for (const name of ['alice', 'Ольга 2', 'Νίκος', 'آوا', '研究者 A', 'カナ', 'a ☃', '𝔛'])
      assert.equal(parseNewAccountName(name), name);
  });

  it('refuses names that mix scripts', () => {
    for (const name of ['аdmin', 'αdmin', 'оδ', 'admiո', '𝐚дмин'])
      assert.equal(parseNewAccountName(name), undefined, name);
  });

  it('refuses what no account may be called, and what looks like an id', () => {
    assert.equal(parseNewAccountName(' alice'), undefined);
    assert.equal(parseNewAccountName('0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80'), undefined);
  });
});
