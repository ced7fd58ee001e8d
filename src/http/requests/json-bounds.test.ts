import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { boundRule, exceededBound, type JsonBounds } from './json-bounds.ts';

const NONE: JsonBounds = { values: Infinity, depth: Infinity, names: Infinity };

function exceeded(text: string, bounds: Partial<JsonBounds>) {
  return exceededBound(Buffer.from(text), { ...NONE, ...bounds });
}

describe('the number of values in a text of JSON', () => {
  it('is counted without parsing it', () => {
    assert.equal(exceeded('[1,2,[3,4]]', { values: 6 }), undefined);
    assert.equal(exceeded('[1,2,[3,4]]', { values: 5 }), 'values');
    assert.equal(exceeded('[{},{},{}]', { values: 4 }), 'values');
  });

  it('does not count characters inside texts', () => {
    assert.equal(exceeded('{"a":"[,{,[,\\",,,,"}', { values: 2 }), undefined);
    assert.equal(exceeded('{"a":"\\\\","b":"x"}', { values: 2 }), 'values');
  });
});

describe('the depth of a text of JSON', () => {
  it('is that of lists and objects in each other', () => {
    assert.equal(exceeded('[[],{"a":[]},[]]', { depth: 3 }), undefined);
    assert.equal(exceeded('[[],{"a":[]},[]]', { depth: 2 }), 'depth');
    assert.equal(exceeded('["[[[[", "]"]', { depth: 1 }), undefined);
  });

  it('is also that of a text that does not end', () => {
    assert.equal(exceeded('['.repeat(65), { depth: 64 }), 'depth');
    assert.equal(exceeded('{"a', { depth: 1 }), undefined);
  });
});

describe('the names of members in a text of JSON', () => {
  it('are counted once, wherever they are', () => {
    const text = '[{"a":1,"b":"c"},{"b" \n: {"a":"d"}}]';
    assert.equal(exceeded(text, { names: 2 }), undefined);
    assert.equal(exceeded(text, { names: 1 }), 'names');
  });
});

describe('the bounds of a text of JSON', () => {
  it('are those of the parsed value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const { values, depth, names } = measure(JSON.parse(text));
        assert.equal(exceeded(text, { depth, names }), undefined, text);
        if (depth > 0) assert.equal(exceeded(text, { depth: depth - 1 }), 'depth', text);
        // An empty list counts like one with a value.
        if (values > 1) assert.equal(exceeded(text, { values: values - 1 }), 'values', text);
        assert.equal(exceeded(text, { values }), undefined, text);
      }),
      { seed: 7, numRuns: 500 },
    );
  });

  it('are named in a refusal', () => {
    const bounds = { values: 1, depth: 2, names: 3 };
    const keys = ['values', 'depth', 'names'] as const;
    assert.deepEqual(
      keys.map((bound) => /\d/.exec(boundRule(bound, bounds))?.[0]),
      ['1', '2', '3'],
    );
  });
});

function measure(value: unknown): { values: number; depth: number; names: number } {
  const names = new Set<string>();
  let values = 1;
  const depthOf = (inner: unknown): number => {
    if (typeof inner !== 'object' || inner === null) return 0;
    const members = Object.entries(inner);
    values += Math.max(1, members.length);
    if (!Array.isArray(inner)) for (const [name] of members) names.add(name);
    return 1 + Math.max(0, ...members.map(([, member]) => depthOf(member)));
  };
  const depth = depthOf(value);
  return { values, depth, names: names.size };
}
