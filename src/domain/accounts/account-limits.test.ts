import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accountLimitsOf, NO_LIMIT } from './account-limits.ts';

const SET = {
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

describe('the limits of accounts', () => {
  it('are those that are set', () => {
    assert.deepEqual(accountLimitsOf(SET), {
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
    const zero = Object.fromEntries(Object.keys(SET).map((name) => [name, 0]));
    const limits = accountLimitsOf({ ...SET, ...zero });
    assert.equal(limits.uploads, NO_LIMIT);
    assert.equal(limits.storedBytes, NO_LIMIT);
    assert.equal(limits.createRate.perMinute, undefined);
    assert.equal(limits.uploadRate.perMinute, undefined);
  });
});
