import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MINUTE_MS } from '../duration.ts';
import { publishedUntil } from './publication.ts';

describe('the last time that readers are told', () => {
  it('is that of the last change, if it has come', () => {
    assert.equal(publishedUntil(900, 1000), 900);
    assert.equal(publishedUntil(1000, 1000), 1000);
  });

  it('is now, if the feed is ahead of the clock', () => {
    assert.equal(publishedUntil(1001, 1000), 1000);
    assert.equal(publishedUntil(1000 + 15 * MINUTE_MS, 1000), 1000);
  });

  it('is that of the last change, if the clock was set back by more than a quarter of an hour', () => {
    assert.equal(publishedUntil(1001 + 15 * MINUTE_MS, 1000), 1001 + 15 * MINUTE_MS);
  });
});
