import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Latency } from './latency.ts';

function latencyOf(roundTripsMs: readonly number[]): Latency {
  const latency = new Latency();
  for (const ms of roundTripsMs) latency.add({ sentAtMs: 1000, receivedAtMs: 1000 + ms });
  return latency;
}

describe('the measured latency of the database', () => {
  it('adds nothing to a limit before it is known', () => {
    assert.equal(latencyOf([]).allowanceMs, 0);
  });

  it('adds ten round trips', () => {
    assert.equal(latencyOf([200]).allowanceMs, 2000);
    assert.equal(latencyOf([0.31]).allowanceMs, 4);
  });

  it('ignores single slow answers, and follows when all are slow', () => {
    assert.equal(latencyOf([1, 4000, 1, 900]).allowanceMs, 10);
    assert.equal(latencyOf([1, 1, 200, 210, 220, 230]).allowanceMs, 2000);
  });

  it('has a maximum', () => {
    assert.equal(latencyOf([5000]).allowanceMs, 10_000);
  });
});
