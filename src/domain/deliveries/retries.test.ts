import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS, SECOND_MS } from '../duration.ts';
import { type Attempt, judgeFailure } from './retries.ts';

const NOW = new Date('2026-11-16T10:00:00Z');
const ATTEMPT: Attempt = { attempts: 1, failingSince: undefined, now: NOW, chance: 0 };
const FAILURE = { status: 500, error: 'Down.' };

const msUntil = (at: Date) => at.getTime() - NOW.getTime();

describe('a failed attempt at a delivery', () => {
  it('is repeated, later each time and up to a fifth later by chance', () => {
    for (const [attempts, chance, delayMs] of [
      [1, 0, 5 * SECOND_MS],
      [1, 1, 6 * SECOND_MS],
      [9, 0, 24 * HOUR_MS],
    ] as const) {
      const outcome = judgeFailure({ ...ATTEMPT, attempts, chance }, FAILURE);
      assert.ok(outcome.kind === 'again');
      assert.equal(msUntil(outcome.dueAt), delayMs);
    }
  });

  it('is the last one after ten, or if another cannot succeed', () => {
    assert.equal(judgeFailure({ ...ATTEMPT, attempts: 10 }, FAILURE).kind, 'dead');
    assert.equal(judgeFailure(ATTEMPT, { ...FAILURE, isFinal: true }).kind, 'dead');
    const disabled = judgeFailure(ATTEMPT, { ...FAILURE, disable: 'Gone.' });
    assert.partialDeepStrictEqual(disabled, { kind: 'dead', disable: 'Gone.' });
  });

  it('pauses the destination for half of the time of its failure, or as long as it asks', () => {
    const failingSince = new Date(NOW.getTime() - 60 * SECOND_MS);
    const failing = { ...ATTEMPT, failingSince };
    assert.equal(msUntil(judgeFailure(ATTEMPT, FAILURE).pauseUntil), 5 * SECOND_MS);
    assert.equal(msUntil(judgeFailure(failing, FAILURE).pauseUntil), 30 * SECOND_MS);
    const asked = judgeFailure(failing, { ...FAILURE, requestedMs: HOUR_MS });
    assert.equal(msUntil(asked.pauseUntil), HOUR_MS);
  });
});
