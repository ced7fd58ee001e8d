import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Caller,
  type Credential,
  hasRole,
  isLive,
  issuerOf,
  ownsFeed,
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

describe('a caller who issues a token', () => {
  it('does so with a token, or in a session that a token or a link started', () => {
    const expiresAt = new Date();
    assert.deepEqual(issuerOf(caller), { via: 'token', accountId: 'a1', tokenId: 't1' });
    const session = { via: 'token', tokenId: 't0', expiresAt } as const;
    assert.deepEqual(issuerOf({ ...caller, session }), {
      via: 'session',
      accountId: 'a1',
      tokenId: 't0',
    });
    const byLink = { via: 'link', tokenId: undefined, expiresAt } as const;
    assert.equal(issuerOf({ ...caller, session: byLink }).tokenId, undefined);
  });
});
