import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { trimEndOf, trimStartOf } from './trim.ts';

describe('trimming one character', () => {
  it('removes the run at the end and nothing else', () => {
    assert.equal(trimEndOf('/a/b///', '/'), '/a/b');
    assert.equal(trimEndOf('a', '/'), 'a');
    assert.equal(trimEndOf('///', '/'), '');
    assert.equal(trimEndOf('', '/'), '');
  });

  it('removes the run at the beginning and nothing else', () => {
    assert.equal(trimStartOf('__a_b_', '_'), 'a_b_');
    assert.equal(trimStartOf('a', '_'), 'a');
    assert.equal(trimStartOf('___', '_'), '');
    assert.equal(trimStartOf('', '_'), '');
  });
});
