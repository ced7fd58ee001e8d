import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Claim } from '../ownership/claim.ts';
import { serviceContact } from './service-contact.ts';

const day = (number: number) => new Date(Date.UTC(2026, 0, number));
const service = { name: 'Ply', createdAt: day(1) };
const claim: Claim = {
  suffix: 'ply.example',
  method: 'dns',
  verifiedAt: day(2),
  checkedAt: day(5),
  failingSince: undefined,
  problem: undefined,
};
const route = { service: 'ply', pattern: '*.ply.example', verified: true };

describe('a service as a contact', () => {
  it('was checked when its proof was last found', () => {
    assert.deepEqual(serviceContact(route, service, claim), {
      source: 'service',
      name: 'Ply',
      suffix: 'ply.example',
      checkedAt: day(5),
    });
    const failing = { ...claim, failingSince: day(4), problem: 'no_record' as const };
    assert.deepEqual(serviceContact(route, service, failing).checkedAt, day(2));
  });

  it('was checked when it was created, if nothing is proven', () => {
    const declared = { ...route, verified: false };
    const failed = { ...claim, verifiedAt: undefined, problem: 'no_record' as const };
    for (const known of [undefined, failed])
      assert.deepEqual(serviceContact(declared, service, known).checkedAt, day(1));
    assert.deepEqual(serviceContact(route, service, undefined).checkedAt, day(1));
  });

  it('has the range of a network or an address', () => {
    const rangeOf = (pattern: string) =>
      serviceContact({ ...route, pattern }, service, undefined).range;
    assert.equal(rangeOf('203.0.113.0/24'), '203.0.113.0/24');
    assert.equal(rangeOf('203.0.113.7'), '203.0.113.7/32');
    assert.equal(rangeOf('2001:db8::7'), '2001:db8::7/128');
  });
});
