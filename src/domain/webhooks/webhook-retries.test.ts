import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeAttempt, type WebhookAttempt } from './webhook-retries.ts';

const NOW = new Date('2026-08-26T10:00:00.000Z');
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function judge(members: Partial<WebhookAttempt> = {}) {
  return judgeAttempt({
    result: { status: 500, retryAfter: undefined },
    attempts: 1,
    failingSince: undefined,
    now: NOW,
    chance: 0,
    ...members,
  });
}

const answered = (status: number, retryAfter?: string) => ({ status, retryAfter });

/** The delay before the next attempt. */
function waitOf(members: Partial<WebhookAttempt>): number {
  const outcome = judge(members);
  assert.equal(outcome.kind, 'again');
  return outcome.dueAt.getTime() - NOW.getTime();
}

function pauseOf(members: Partial<WebhookAttempt>): number {
  const outcome = judge(members);
  assert.ok(outcome.kind === 'again' || outcome.kind === 'dead');
  return outcome.pauseUntil.getTime() - NOW.getTime();
}

describe('an attempt', () => {
  it('succeeds with any status of the two hundreds and with no other', () => {
    for (const status of [200, 201, 202, 204, 299])
      assert.deepEqual(judge({ result: answered(status) }), { kind: 'delivered', status, at: NOW });
    for (const status of [100, 199, 300, 301, 307, 304, 400, 401, 404, 429, 500, 502, 504])
      assert.equal(judge({ result: answered(status) }).kind, 'again', String(status));
  });

  it('says why it failed', () => {
    const byStatus = judge({ result: answered(302) });
    assert.equal(byStatus.kind === 'again' && byStatus.error, 'The endpoint answered 302.');
    assert.equal(byStatus.kind === 'again' && byStatus.status, 302);
    const otherwise = judge({ result: { failure: 'It took too long.' } });
    assert.equal(otherwise.kind === 'again' && otherwise.error, 'It took too long.');
    assert.equal(otherwise.kind === 'again' && otherwise.status, undefined);
  });

  it('is made ten times over three days, then the delivery is dead', () => {
    const waits = Array.from({ length: 9 }, (_, index) => waitOf({ attempts: index + 1 }));
    const hours = [2, 5, 10, 14, 20, 24].map((hour) => hour * HOUR);
    assert.deepEqual(waits, [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...hours]);
    const last = judge({ attempts: 10 });
    assert.equal(last.kind, 'dead');
    assert.equal(last.kind === 'dead' && last.disable, undefined);
  });

  it('has random jitter, but is never made earlier', () => {
    assert.equal(waitOf({ attempts: 2, chance: 0.5 }), 5.5 * MINUTE);
    assert.equal(waitOf({ attempts: 2, chance: 1 }), 6 * MINUTE);
  });

  it('respects Retry-After of 429 and 503, up to a day', () => {
    assert.equal(waitOf({ result: answered(429, '120') }), 2 * MINUTE);
    assert.equal(waitOf({ result: answered(503, 'Wed, 26 Aug 2026 11:00:00 GMT') }), HOUR);
    assert.equal(waitOf({ result: answered(429, '999999999') }), DAY);
    assert.equal(pauseOf({ result: answered(429, '3600') }), HOUR);
  });

  it('is not made earlier for a Retry-After, nor by one that cannot be read', () => {
    for (const text of [
      '1',
      '-5',
      'soon',
      '',
      '1e9',
      'Wed, 26 Aug 2026 09:00:00 GMT',
      'Wed, 99 Xyz 2026 09:00:00 GMT',
    ])
      assert.equal(waitOf({ result: answered(429, text) }), 5 * SECOND, text);
    assert.equal(waitOf({ result: answered(500, '3600') }), 5 * SECOND, 'a 500 does not ask');
  });
});

describe('an endpoint', () => {
  it('is disabled at once by a 410 response', () => {
    const outcome = judge({ result: answered(410) });
    assert.ok(outcome.kind === 'dead');
    assert.match(outcome.disable ?? '', /410/);
  });

  it('is disabled when everything failed for five days', () => {
    const at = (ms: number) => judge({ failingSince: new Date(NOW.getTime() - ms) });
    assert.equal(at(5 * DAY - 1).kind, 'again');
    const outcome = at(5 * DAY);
    assert.ok(outcome.kind === 'dead');
    assert.match(outcome.disable ?? '', /five days/);
    const success = judge({ failingSince: new Date(0), result: answered(200) });
    assert.equal(success.kind, 'delivered');
  });

  it('is paused longer the longer it fails, but is tried every five minutes', () => {
    const after = (ms: number) => pauseOf({ failingSince: new Date(NOW.getTime() - ms) });
    assert.equal(pauseOf({}), 5 * SECOND);
    assert.equal(after(SECOND), 5 * SECOND);
    assert.equal(after(2 * MINUTE), MINUTE);
    assert.equal(after(DAY), 5 * MINUTE);
  });
});
