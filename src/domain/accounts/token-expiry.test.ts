import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { boundExpiry } from './token-expiry.ts';

const [early, middle, late] = [1, 2, 3].map((hour) => new Date(hour * 3_600_000));
const none = { requested: undefined, issuer: undefined, account: undefined };

describe('the expiry of a token', () => {
  it('is the requested one, or none', () => {
    assert.deepEqual(boundExpiry(none), { expiresAt: undefined });
    assert.deepEqual(boundExpiry({ ...none, requested: late }), { expiresAt: late });
  });

  it('is that of the issuing token if none was requested', () => {
    assert.deepEqual(boundExpiry({ ...none, issuer: middle }), { expiresAt: middle });
    assert.deepEqual(boundExpiry({ ...none, issuer: late, account: middle }), { expiresAt: late });
  });

  it('may be earlier than that of the issuing token and the account, or the same', () => {
    const bounds = { issuer: middle, account: middle };
    assert.deepEqual(boundExpiry({ ...bounds, requested: early }), { expiresAt: early });
    assert.deepEqual(boundExpiry({ ...bounds, requested: middle }), { expiresAt: middle });
  });

  it('is not later than that of the issuing token', () => {
    const bounds = { issuer: middle, account: undefined };
    assert.deepEqual(boundExpiry({ ...bounds, requested: late }), {
      outlives: 'token',
      limit: middle,
    });
  });

  it('is not later than that of the account', () => {
    const bounds = { issuer: undefined, account: middle };
    assert.deepEqual(boundExpiry({ ...bounds, requested: late }), {
      outlives: 'account',
      limit: middle,
    });
  });

  it('is none if only the account expires', () => {
    assert.deepEqual(boundExpiry({ ...none, account: early }), { expiresAt: undefined });
  });
});
