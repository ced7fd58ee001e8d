import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPollerUrl, isTaxiiUrl } from './poller-urls.ts';

describe('the URL of a poller', () => {
  it('is known by its first segment', () => {
    assert.deepEqual(['/taxii2/x', '/misp/x', '/mispx'].map(isPollerUrl), [true, true, false]);
    assert.deepEqual(['/taxii2/x', '/misp/x'].map(isTaxiiUrl), [true, false]);
  });
});
