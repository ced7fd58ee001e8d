import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasMoreValues, ValueCounter } from './json-values.ts';

describe('the number of values in JSON', () => {
  const has = (text: string, most: number) => hasMoreValues(Buffer.from(text), most);

  it('is counted without parsing it', () => {
    assert.equal(has('[1,2,[3,4]]', 6), false);
    assert.equal(has('[1,2,[3,4]]', 5), true);
    assert.equal(has('[{},{},{}]', 4), true);
  });

  it('does not count characters inside strings', () => {
    assert.equal(has('{"a":"[,{,[,\\",,,,"}', 2), false);
    assert.equal(has('{"a":"\\\\","b":"x"}', 2), true);
  });

  it('is the same in parts, wherever they are divided', () => {
    const bytes = Buffer.from(JSON.stringify({ 'a\\': '[,"', b: [1, {}, '\\', 2] }));
    for (let end = 0; end <= bytes.length; end += 1) {
      const counter = new ValueCounter();
      counter.add(bytes.subarray(0, end), 100);
      counter.add(bytes.subarray(end), 100);
      assert.equal(counter.count, 8, `divided at ${end}`);
    }
  });
});
