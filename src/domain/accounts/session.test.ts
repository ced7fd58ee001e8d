import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tokenOf } from './caller.ts';
import { linkExpiry, sessionExpiry } from './session.ts';

const NOW = new Date('2026-08-26T10:00:00Z');
const SOON = new Date('2026-08-27T10:00:00Z');
const IN_30_DAYS = new Date('2026-09-25T10:00:00Z');

describe('a session', () => {
  it('expires after 30 days, or with its token if that is earlier', () => {
    assert.deepEqual(sessionExpiry(NOW, undefined), IN_30_DAYS);
    assert.deepEqual(sessionExpiry(NOW, SOON), SOON);
    assert.deepEqual(sessionExpiry(NOW, new Date('2027-01-01T00:00:00Z')), IN_30_DAYS);
  });

  it('acts for the token that started it, and for none if a link did', () => {
    const account = { accountId: 'a', name: 'alice', roles: [], services: [], tokenId: 'id' };
    const session = { via: 'token', tokenId: 'token', expiresAt: SOON } as const;
    assert.equal(tokenOf(account), 'id');
    assert.equal(tokenOf({ ...account, session }), 'token');
    const byLink = { ...session, via: 'link', tokenId: undefined } as const;
    assert.equal(tokenOf({ ...account, session: byLink }), undefined);
  });
});

describe('a sign-in link', () => {
  it('expires after 15 minutes, an invitation after 7 days', () => {
    assert.deepEqual(linkExpiry(NOW, 'sign-in'), new Date('2026-08-26T10:15:00Z'));
    assert.deepEqual(linkExpiry(NOW, 'invitation'), new Date('2026-09-02T10:00:00Z'));
  });
});
