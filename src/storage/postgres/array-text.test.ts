import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { arrayText } from './array-text.ts';

describe('a list for PostgreSQL', () => {
  it('is the text of an array', () => {
    assert.equal(arrayText([]), '{}');
    assert.equal(arrayText([1, -2, 2 ** 52, null]), '{1,-2,4503599627370496,NULL}');
    assert.equal(arrayText([true, false]), '{true,false}');
    assert.equal(arrayText(['plain', '', 'a,b', '{}', 'NULL']), '{"plain","","a,b","{}","NULL"}');
    assert.equal(arrayText([new Uint8Array([0, 255])]), String.raw`{"\\x00ff"}`);
  });

  it('keeps what would end a text, or hide something in it', () => {
    assert.equal(
      arrayText(['say "no"', String.raw`C:\temp`]),
      String.raw`{"say \"no\"","C:\\temp"}`,
    );
  });

  it('holds nothing else', () => {
    for (const value of [undefined, {}, new Date(0), ['nested']])
      assert.throws(() => arrayText([value]), /cannot be an element/);
  });
});
