import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromFragment, isList, linesOf, MAX_LINES, toFragment } from './search-list.ts';

describe('a pasted list', () => {
  it('has its distinct lines, without comments and blank lines', () =>
    assert.deepEqual(linesOf(' a.example \r\n\n# no\nb.example\na.example'), [
      'a.example',
      'b.example',
    ]));

  it('may be separated by commas, semicolons or tabs', () =>
    assert.deepEqual(linesOf('a, b;c\td'), ['a', 'b', 'c', 'd']));

  it('has more than one line', () => {
    assert.ok(isList('a\nb'));
    assert.ok(!isList('a, b\n'));
  });
});

describe('the fragment of a list', () => {
  it('is read as it was written', () => {
    const lines = ['hxxp://a[.]b/?x=1&y=2#z', '50%', 'a+b', '192.0.2.0/24', 'ü…'];
    assert.deepEqual(fromFragment(toFragment(lines)), lines);
    assert.match(toFragment(lines), /^[\w=%+.!~*'()-]+$/);
  });

  it('has at most as many lines as the server takes', () => {
    const lines = Array.from({ length: MAX_LINES + 1 }, (_, index) => `${index}`);
    assert.equal(fromFragment(toFragment(lines))?.length, MAX_LINES);
  });

  it('may be cut, or none', () => {
    assert.deepEqual(fromFragment('list=a+%E2%8'), ['a', '%E2%8']);
    assert.deepEqual(fromFragment('list='), []);
    assert.equal(fromFragment(''), undefined);
  });
});
