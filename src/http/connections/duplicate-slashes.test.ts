import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutDuplicateSlashes } from './duplicate-slashes.ts';

describe('duplicate slashes', () => {
  it('are removed from the paths of feed readers', () => {
    assert.equal(withoutDuplicateSlashes('/misp/ply//manifest.json'), '/misp/ply/manifest.json');
    assert.equal(withoutDuplicateSlashes('//misp///ply'), '/misp/ply');
    assert.equal(withoutDuplicateSlashes('/taxii2//?next=a//b'), '/taxii2/?next=a//b');
  });

  it('stay in other paths', () => {
    for (const url of ['//feed/ply/api', '/mispx//y', '/', '*'])
      assert.equal(withoutDuplicateSlashes(url), url);
  });
});
