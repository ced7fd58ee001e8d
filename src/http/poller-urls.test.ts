import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPollerUrl, isTaxiiUrl, normalizeUrl } from './poller-urls.ts';

describe('the URL of a poller', () => {
  for (const [url, normal] of [
    ['/taxii2', '/taxii2/'],
    ['/taxii2?a=//', '/taxii2/?a=//'],
    ['//taxii2//feeds///collections', '/taxii2/feeds/collections/'],
    ['/taxii2/feeds/', '/taxii2/feeds/'],
    ['/misp/ply//manifest.json', '/misp/ply/manifest.json'],
    ['/taxii21//x', '/taxii21//x'],
    ['/feed//ply/api', '/feed//ply/api'],
    ['/', '/'],
  ] as const) {
    it(`${url} is ${normal}`, () => assert.equal(normalizeUrl(url), normal));
  }

  it('is known by its first segment', () => {
    assert.deepEqual(['/taxii2/x', '/misp/x', '/mispx'].map(isPollerUrl), [true, true, false]);
    assert.deepEqual(['/taxii2/x', '/misp/x'].map(isTaxiiUrl), [true, false]);
  });
});
