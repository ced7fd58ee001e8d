import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type AdministrationState,
  endsAdministration,
  isAdministrator,
  isOutOfUse,
} from './administrators.ts';

const NOW = new Date('2026-08-26T10:00:00Z');
const EARLIER = new Date('2026-08-26T09:59:59Z');
const LATER = new Date('2026-08-26T10:00:01Z');

const admin: AdministrationState = { roles: ['admin'], disabled: false, expiresAt: undefined };
const DEPARTED: readonly AdministrationState[] = [
  { ...admin, roles: ['researcher'] },
  { ...admin, disabled: true },
  { ...admin, expiresAt: NOW },
  { ...admin, expiresAt: EARLIER },
];

describe('an administrator', () => {
  it('has the role, is enabled and has not expired', () => {
    for (const account of [admin, { ...admin, expiresAt: LATER }])
      assert.equal(isAdministrator(account, NOW), true);
    for (const account of DEPARTED) assert.equal(isAdministrator(account, NOW), false);
  });

  it('ends with any change to an account that is none', () => {
    for (const account of DEPARTED) {
      assert.equal(endsAdministration(admin, account, NOW), true);
      assert.equal(endsAdministration(account, account, NOW), false);
      assert.equal(endsAdministration(account, admin, NOW), false);
    }
    assert.equal(endsAdministration(admin, { ...admin, expiresAt: LATER }, NOW), false);
  });
});

describe('an account', () => {
  it('is out of use if it was or will be disabled or expired', () => {
    const disabled = { ...admin, disabled: true };
    const expired = { ...admin, expiresAt: EARLIER };
    for (const [before, after] of [
      [admin, disabled],
      [disabled, admin],
      [expired, admin],
      [admin, expired],
    ] as const)
      assert.equal(isOutOfUse(before, after, NOW), true);
    assert.equal(isOutOfUse(admin, { ...admin, roles: [] }, NOW), false);
  });
});
