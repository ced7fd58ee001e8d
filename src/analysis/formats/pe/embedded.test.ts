import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { embeddedKindOf, resourceKindOf } from './embedded.ts';

describe('content in resources or overlays', () => {
  it('is recognised if it is a program, an archive, packed or a document', () => {
    assert.equal(embeddedKindOf(fixture('analysis/pe/tiny')), 'pe');
    assert.equal(embeddedKindOf(fixture('analysis/archive/plain.zip')), 'archive');
    assert.equal(embeddedKindOf(gzipSync('content')), 'archive');
    assert.equal(embeddedKindOf(fixture('analysis/archive/note.txt.xz')), 'archive');
    assert.equal(embeddedKindOf(fixture('analysis/archive/note.txt.bz2')), 'archive');
    assert.equal(embeddedKindOf(fixture('analysis/ole/package-msi')), 'document');
  });

  it('is ignored otherwise', () => {
    for (const content of ['', 'MZ', 'a text', '\x1f\x8b', 'BZh91'])
      assert.equal(embeddedKindOf(Buffer.from(content, 'latin1')), undefined);
  });

  it('may be packed with zlib in a resource', () => {
    assert.equal(resourceKindOf(deflateSync('content')), 'archive');
    assert.equal(resourceKindOf(fixture('analysis/pe/tiny')), 'pe');
    for (const content of ['', 'x', 'x\x9c\xff\xff', 'a text'])
      assert.equal(resourceKindOf(Buffer.from(content, 'latin1')), undefined);
  });
});
