import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tokenOrigin } from './token-origin.ts';

describe('the origin of a token', () => {
  const of = (via: 'session' | 'token' | 'operator' | undefined, issuerAccountId?: string) =>
    tokenOrigin({ accountId: 'a', via, issuerAccountId });

  it('is a session or a token of its account', () => {
    assert.equal(of('session', 'a'), 'session');
    assert.equal(of('token', 'a'), 'token');
  });

  it('is an administrator if the session or token belongs to another account', () => {
    for (const via of ['session', 'token'] as const) assert.equal(of(via, 'b'), 'administrator');
  });

  it('is the operator, or unknown for an older token', () => {
    assert.equal(of('operator'), 'operator');
    assert.equal(of(undefined), 'unknown');
  });
});
