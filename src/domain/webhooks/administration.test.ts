import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideAdministration } from './administration.ts';

const owner = { id: 'a1', services: ['ply', 'tun'] };
const base = { changes: {}, service: 'ply', owner: undefined, administrator: 'root' };

describe('an administrator', () => {
  it('disables a webhook with a reason, and enables it', () => {
    assert.deepEqual(decideAdministration({ ...base, changes: { disabled: true } }), {
      ownerId: undefined,
      state: { disabled: 'An administrator, root, disabled it.' },
    });
    assert.deepEqual(decideAdministration({ ...base, changes: { disabled: false } }), {
      ownerId: undefined,
      state: 'enable',
    });
  });

  it('hands a webhook over to an owner of its feed, and to nobody else', () => {
    const changes = { owner: 'alice' };
    const handed = { ownerId: 'a1', state: undefined };
    assert.deepEqual(decideAdministration({ ...base, changes, owner }), handed);
    const elsewhere = { ...owner, services: ['tun'] };
    assert.equal(decideAdministration({ ...base, changes, owner: elsewhere }), 'not-owner');
    assert.equal(decideAdministration({ ...base, changes }), 'unknown-account');
  });

  it('changes nothing at all if the new owner is refused', () => {
    const changes = { owner: 'alice', disabled: true };
    assert.equal(decideAdministration({ ...base, changes }), 'unknown-account');
  });
});
