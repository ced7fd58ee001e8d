import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS } from '../duration.ts';
import {
  type Claim,
  checkWaitMs,
  isNews,
  PROOF_PROBLEMS,
  type ProofProblem,
  settleClaim,
} from './claim.ts';

const NOW = new Date('2026-11-16T10:00:00.000Z');
const later = (ms: number) => new Date(NOW.getTime() + ms);

const declared: Claim = {
  suffix: 'ply.example',
  method: 'dns',
  verifiedAt: undefined,
  checkedAt: undefined,
  failingSince: undefined,
  problem: undefined,
};
const proven: Claim = { ...declared, verifiedAt: NOW, checkedAt: NOW };

const check = (problem: ProofProblem | undefined, at = later(DAY_MS), chance = 0) => ({
  method: 'dns' as const,
  problem,
  at,
  chance,
});

const withMeaning = (meaning: string) =>
  Object.entries(PROOF_PROBLEMS)
    .filter(([, one]) => one === meaning)
    .map(([problem]) => problem as ProofProblem);

describe('a claim', () => {
  it('is proven by a check that finds the token, and checked again within a day', () => {
    const settled = settleClaim(declared, check(undefined, NOW));
    assert.deepEqual(settled, { claim: proven, change: 'verified', dueAt: later(DAY_MS) });
    const early = settleClaim(declared, check(undefined, NOW, 1)).dueAt;
    assert.deepEqual(early, later(20 * HOUR_MS));
  });

  it('stays declared after any failed check, and is not checked by itself', () => {
    for (const problem of Object.keys(PROOF_PROBLEMS) as ProofProblem[]) {
      const settled = settleClaim(declared, { ...check(problem), method: 'http' });
      assert.equal(settled.claim.verifiedAt, undefined);
      assert.equal(settled.claim.problem, problem);
      assert.equal(settled.claim.method, 'http');
      assert.deepEqual([settled.change, settled.dueAt], [undefined, undefined]);
    }
  });

  it('keeps the time of its proof while checks succeed', () => {
    const { claim, change } = settleClaim(proven, check(undefined));
    assert.deepEqual(claim, { ...proven, checkedAt: later(DAY_MS) });
    assert.equal(change, undefined);
  });

  for (const problem of withMeaning('absent'))
    it(`ends after three days of "${problem}"`, () => {
      let claim = proven;
      for (const day of [1, 2, 3]) {
        const settled = settleClaim(claim, check(problem, later(day * DAY_MS)));
        assert.equal(settled.change, undefined);
        assert.deepEqual(settled.dueAt, later((day + 1) * DAY_MS));
        claim = settled.claim;
      }
      assert.deepEqual(claim.failingSince, later(DAY_MS));
      assert.equal(settleClaim(claim, check(problem, later(4 * DAY_MS - 1))).change, undefined);
      const ended = settleClaim(claim, check(problem, later(4 * DAY_MS)));
      assert.equal(ended.change, 'withdrawn');
      assert.equal(ended.claim.verifiedAt, undefined);
      assert.equal(ended.claim.problem, problem);
      assert.equal(ended.dueAt, undefined);
      assert.equal(settleClaim(ended.claim, check(undefined)).change, 'verified');
    });

  it('ends at once with the token of somebody else', () => {
    const settled = settleClaim(proven, check('other_token'));
    assert.equal(settled.change, 'withdrawn');
    assert.equal(settled.claim.problem, 'other_token');
  });

  for (const problem of withMeaning('unknown'))
    it(`outlasts any time of "${problem}", and is checked more often`, () => {
      let claim = proven;
      for (let day = 1; day < 60; day += 1) {
        const at = later(day * DAY_MS);
        const settled = settleClaim(claim, check(problem, at));
        assert.equal(settled.change, undefined);
        assert.deepEqual(settled.dueAt, new Date(at.getTime() + HOUR_MS));
        claim = settled.claim;
      }
      assert.deepEqual(claim.verifiedAt, NOW);
      assert.equal(claim.failingSince, undefined);
      assert.equal(claim.problem, problem);
      assert.equal(settleClaim(claim, check(undefined)).claim.problem, undefined);
    });

  it('starts to count the days again after a check that succeeds', () => {
    const failing = settleClaim(proven, check('no_record')).claim;
    const repaired = settleClaim(failing, check(undefined, later(2 * DAY_MS))).claim;
    assert.equal(repaired.failingSince, undefined);
    assert.equal(settleClaim(repaired, check('no_record', later(5 * DAY_MS))).change, undefined);
  });

  it('is not harmed by a failed check with another method, and can change its method', () => {
    const failed = settleClaim(proven, { ...check('not_found'), method: 'http' });
    assert.equal(failed.claim.method, 'dns');
    assert.equal(failed.claim.failingSince, undefined);
    assert.equal(failed.claim.problem, 'not_found');
    assert.deepEqual(failed.dueAt, later(DAY_MS), 'it does not put off the check of the proof');
    const other = settleClaim(proven, { ...check('other_token'), method: 'http' });
    assert.equal(other.change, undefined);
    const found = settleClaim(proven, { ...check(undefined), method: 'http' });
    assert.equal(found.claim.method, 'http');
    assert.deepEqual(found.claim.verifiedAt, NOW);
  });
});

describe('a check of a claim', () => {
  it('is news if it changes the claim or finds another problem', () => {
    assert.equal(isNews(declared, settleClaim(declared, check(undefined))), true);
    assert.equal(isNews(declared, settleClaim(declared, check('no_record'))), true);
    const failing = settleClaim(declared, check('no_record')).claim;
    assert.equal(isNews(failing, settleClaim(failing, check('no_record'))), false);
    assert.equal(isNews(proven, settleClaim(proven, check(undefined))), false);
  });

  it('waits for the rest of the interval since the last one', () => {
    const at = (ms: number) => ({ now: later(ms), intervalMs: HOUR_MS });
    assert.equal(checkWaitMs(NOW, at(HOUR_MS / 4)), 0.75 * HOUR_MS);
    assert.equal(checkWaitMs(NOW, at(HOUR_MS)), 1);
    assert.equal(checkWaitMs(undefined, at(0)), HOUR_MS);
  });
});
