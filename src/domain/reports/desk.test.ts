import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DESK_STATUSES, expiryAfter, isAnswer, isUnresolved, reasonProblem } from './desk.ts';

describe('the status of a report', () => {
  it('is one of four, of which two have reasons', () => {
    assert.deepEqual(DESK_STATUSES, ['open', 'acknowledged', 'actioned', 'rejected']);
    assert.equal(reasonProblem('actioned', 'suspended'), undefined);
    assert.equal(reasonProblem('rejected', 'not_ours'), undefined);
  });

  it('is an answer if it is final and the desk has set it', () => {
    assert.deepEqual(DESK_STATUSES.filter(isAnswer), ['actioned', 'rejected']);
    assert.equal(isAnswer('expired'), false);
  });

  it('needs no reason', () => {
    for (const status of DESK_STATUSES) assert.equal(reasonProblem(status, undefined), undefined);
  });

  it('has no reason that belongs to another status', () => {
    assert.match(reasonProblem('actioned', 'not_ours') ?? '', /taken_down, suspended, blocked/);
    assert.match(reasonProblem('open', 'suspended') ?? '', /the status "open" has no reasons/);
  });
});

describe('the expiry of a report', () => {
  it('is that number of days after its C2 was last seen', () => {
    assert.deepEqual(
      expiryAfter(new Date('2026-08-26T10:00:00.000Z'), 90),
      new Date('2026-11-24T10:00:00.000Z'),
    );
  });

  it('applies only to unresolved reports', () => {
    assert.deepEqual(
      (['open', 'acknowledged', 'actioned', 'rejected', 'expired'] as const).map(isUnresolved),
      [true, true, false, false, false],
    );
  });
});
