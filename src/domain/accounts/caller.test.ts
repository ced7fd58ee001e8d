import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Caller,
  type Credential,
  hasRole,
  isLive,
  ownsFeed,
  parseAccountName,
  ROLES,
} from './caller.ts';

const caller: Caller = {
  accountId: 'a1',
  name: 'alice',
  roles: ['researcher'],
  services: ['ply'],
  tokenId: 't1',
};

describe('a credential', () => {
  const now = new Date('2026-08-26T10:00:00Z');
  const credential: Credential = {
    caller,
    digest: new Uint8Array(32),
    disabled: false,
    revoked: false,
    expiresAt: undefined,
  };

  it('without an expiry is valid', () => {
    assert.equal(isLive(credential, now), true);
  });

  it('is valid until the exact time of its expiry', () => {
    assert.equal(isLive({ ...credential, expiresAt: new Date(now.getTime() + 1) }, now), true);
    assert.equal(isLive({ ...credential, expiresAt: now }, now), false);
    assert.equal(isLive({ ...credential, expiresAt: new Date(now.getTime() - 1) }, now), false);
  });

  it('of a disabled account is invalid', () => {
    assert.equal(isLive({ ...credential, disabled: true }, now), false);
  });

  it('that was revoked is invalid', () => {
    assert.equal(isLive({ ...credential, revoked: true }, now), false);
  });
});

describe('a caller', () => {
  it('has the roles of its account and no other', () => {
    assert.equal(hasRole(caller, 'researcher'), true);
    assert.equal(hasRole(caller, 'admin'), false);
  });

  it('has no role that includes another', () => {
    assert.equal(hasRole({ ...caller, roles: ['admin'] }, 'researcher'), false);
  });

  it('owns its feeds, and no other', () => {
    assert.equal(ownsFeed(caller, 'ply'), true);
    assert.equal(ownsFeed(caller, 'other'), false);
  });

  it('owns no feed as an admin alone', () => {
    assert.equal(ownsFeed({ ...caller, roles: ROLES, services: [] }, 'ply'), false);
  });
});

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
