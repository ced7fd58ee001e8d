import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Caller } from './caller.ts';
import { requireRole } from './require-role.ts';

const caller: Caller = {
  accountId: 'a1',
  name: 'alice',
  roles: ['researcher'],
  services: [],
  tokenId: 't1',
};

describe('a required role', () => {
  it('lets a caller with that role pass', () => {
    requireRole(caller, 'researcher');
  });

  it('refuses a caller without it, and names it', () => {
    assert.throws(() => requireRole(caller, 'admin'), {
      code: 'role_missing',
      details: { role: 'admin', parameters: { role: 'admin' } },
    });
  });
});
