import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isByOthers, judgementOf, lastJudgement, type SetStatus } from './judgement.ts';
import { OUTCOMES } from './outcome.ts';

function answer(status: SetStatus['status'], members: Partial<SetStatus> = {}): SetStatus {
  return { status, reason: null, by: 'desk', isSelf: false, ...members };
}

describe('a judgement', () => {
  it('is right if the desk acted, wrong for three reasons, and otherwise none', () => {
    const of = (judgement: string | undefined) =>
      OUTCOMES.filter((outcome) => judgementOf(outcome) === judgement);
    assert.deepEqual(of('right'), ['actioned']);
    assert.deepEqual(of('wrong'), ['not_ours', 'false_positive', 'insufficient_evidence']);
    assert.equal(of(undefined).length, OUTCOMES.length - 4);
  });

  it('is that of the last answer, which an expiry is not', () => {
    const wrong = answer('rejected', { reason: 'false_positive' });
    assert.equal(lastJudgement([]), undefined);
    assert.equal(lastJudgement([answer('actioned'), wrong]), 'wrong');
    assert.equal(lastJudgement([wrong, answer('open')]), undefined);
    assert.equal(lastJudgement([wrong, answer('expired')]), 'wrong');
  });
});

describe('an answer', () => {
  it('is that of others unless the reporter owned the feed', () => {
    const reporter = { name: 'alice', ownsFeed: true };
    assert.equal(isByOthers({ by: 'alice', isSelf: false }, reporter), true);
    assert.equal(isByOthers({ by: 'desk', isSelf: true }, { ...reporter, ownsFeed: false }), false);
  });

  it('is judged by the name and the present owners if that was not recorded', () => {
    const of = (by: string | null, ownsFeed: boolean) =>
      isByOthers({ by, isSelf: null }, { name: 'alice', ownsFeed });
    assert.deepEqual([of('desk', false), of(null, false)], [true, true]);
    assert.deepEqual([of('desk', true), of('alice', false)], [false, false]);
  });
});
