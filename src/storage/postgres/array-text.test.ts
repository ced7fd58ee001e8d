import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { arrayText } from './array-text.ts';

describe('an array literal for PostgreSQL', () => {
  it('holds numbers, booleans, texts, bytes and nulls', () => {
    assert.equal(arrayText([]), '{}');
    assert.equal(arrayText([1, -2, 2 ** 52, null]), '{1,-2,4503599627370496,NULL}');
    assert.equal(arrayText([true, false]), '{true,false}');
    assert.equal(arrayText(['plain', '', 'a,b', '{}', 'NULL']), '{"plain","","a,b","{}","NULL"}');
    assert.equal(arrayText([new Uint8Array([0, 255])]), String.raw`{"\\x00ff"}`);
  });

  it('escapes quotes and backslashes', () => {
    assert.equal(
      arrayText(['say "no"', String.raw`C:\temp`]),
      String.raw`{"say \"no\"","C:\\temp"}`,
    );
  });

  it('refuses other values', () => {
    for (const value of [undefined, {}, new Date(0), ['nested']])
      assert.throws(() => arrayText([value]), /cannot be an element/);
  });
});
