import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changesOf, linesOf, numberOrText } from './form-values.ts';

describe('values of a form', () => {
  it('are lines, even if they are separated by commas', () => {
    assert.deepEqual(linesOf(' a.example\n\n*.b.example, c.example\n'), [
      'a.example',
      '*.b.example',
      'c.example',
    ]);
  });

  it('are numbers, or texts that the server refuses', () => {
    assert.deepEqual([' 12 ', '', '1e3', '-1'].map(numberOrText), [12, undefined, '1e3', '-1']);
  });

  it('are compared with what was before', () => {
    assert.deepEqual(changesOf(['a', 'b'], ['b', 'c']), { added: ['c'], removed: ['a'] });
  });
});
