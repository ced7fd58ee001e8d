import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answerToRetry, RETRY_KEY_VALID_MS } from './retry-key.ts';

const AT = new Date('2026-11-17T10:00:00Z');
const earlier = { fingerprint: Uint8Array.of(1, 2), reportId: 'r1', at: AT };
const later = (ms: number) => new Date(AT.getTime() + ms);

describe('a create with an idempotency key', () => {
  it('is answered as the first one if no call had the key', () => {
    assert.equal(answerToRetry({ fingerprint: Uint8Array.of(1, 2), at: AT }, undefined), undefined);
  });

  it('gets the first report again if the body is the same', () => {
    const again = { fingerprint: Uint8Array.of(1, 2), at: later(RETRY_KEY_VALID_MS - 1) };
    assert.deepEqual(answerToRetry(again, earlier), { kind: 'replayed', id: 'r1' });
  });

  it('is refused if the body is another', () => {
    for (const fingerprint of [Uint8Array.of(1, 3), Uint8Array.of(1), Uint8Array.of()])
      assert.deepEqual(answerToRetry({ fingerprint, at: AT }, earlier), { kind: 'key-reused' });
  });

  it('counts as the first one after a day, with any body', () => {
    for (const fingerprint of [Uint8Array.of(1, 2), Uint8Array.of(1, 3)])
      assert.equal(
        answerToRetry({ fingerprint, at: later(RETRY_KEY_VALID_MS) }, earlier),
        undefined,
      );
  });
});
