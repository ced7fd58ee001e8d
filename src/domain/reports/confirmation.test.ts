import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { confirmationOf } from './confirmation.ts';

describe('the confirmation of a report', () => {
  it('follows from whether the configuration names its C2', () => {
    assert.equal(confirmationOf(true), 'confirmed');
    assert.equal(confirmationOf(false), 'contradicted');
    assert.equal(confirmationOf(undefined), 'unknown');
  });
});
