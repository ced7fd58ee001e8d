import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accountLimitsOf, DEFAULT_LIMITS, type LimitSettings, NO_LIMIT } from './account-limits.ts';

const UNSET: LimitSettings = {
  uploads: undefined,
  streams: undefined,
  webSockets: undefined,
  exports: undefined,
  tokens: undefined,
  storedBytes: undefined,
  statusBytes: undefined,
  createsPerMinute: undefined,
  createsBurst: undefined,
  uploadsPerMinute: undefined,
};

describe('the limits of accounts', () => {
  it('are the defaults if nothing is set', () => {
    assert.deepEqual(accountLimitsOf(UNSET), DEFAULT_LIMITS);
  });

  it('are those that are set', () => {
    const set = {
      uploads: 1,
      streams: 2,
      webSockets: 3,
      exports: 6,
      tokens: 4,
      storedBytes: 5,
      statusBytes: 9,
      createsPerMinute: 6,
      createsBurst: 7,
      uploadsPerMinute: 8,
    };
    assert.deepEqual(accountLimitsOf(set), {
      uploads: 1,
      streams: 2,
      webSockets: 3,
      exports: 6,
      tokens: 4,
      storedBytes: 5,
      statusBytes: 9,
      createRate: { perMinute: 6, burst: 7 },
      uploadRate: { perMinute: 8, burst: 8 },
    });
  });

  it('are absent if they are set to zero', () => {
    const zero = Object.fromEntries(Object.keys(UNSET).map((name) => [name, 0]));
    const limits = accountLimitsOf({ ...UNSET, ...zero });
    assert.equal(limits.uploads, NO_LIMIT);
    assert.equal(limits.storedBytes, NO_LIMIT);
    assert.equal(limits.createRate.perMinute, undefined);
    assert.equal(limits.uploadRate.perMinute, undefined);
  });
});
