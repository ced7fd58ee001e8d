import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rankTags, tagName } from './tags.ts';

describe('the tags of a report', () => {
  it('have each name once, with its highest heat', () => {
    const tags = rankTags([
      { tag: 'A', heat: 2 },
      { tag: 'A', heat: 7 },
      { tag: 'A', heat: 3 },
    ]);
    assert.deepEqual(tags, [{ heat: 7, name: 'A' }]);
  });

  it('are sorted by heat, then by name', () => {
    const tags = rankTags([
      { tag: 'B', heat: 1 },
      { tag: 'C', heat: 9 },
      { tag: 'A', heat: 1 },
    ]);
    assert.deepEqual(
      tags.map(({ name }) => name),
      ['C', 'A', 'B'],
    );
  });

  it('are at most 64, those with the highest heat', () => {
    const many = Array.from({ length: 100 }, (_, at) => ({ tag: `T${at}`, heat: 1 + (at % 10) }));
    const tags = rankTags(many);
    assert.equal(tags.length, 64);
    assert.equal(tags.at(0)?.heat, 10);
    assert.ok((tags.at(-1)?.heat ?? 0) >= 4);
  });
});

describe('the name of a tag', () => {
  for (const [text, name] of [
    ['AsyncRAT', 'ASYNCRAT'],
    ['evil rule (v2)', 'EVIL_RULE_V2'],
    ['__x__', 'X'],
    ['Ünïcode', 'N_CODE'],
    ['a.b-c_d', 'A.B-C_D'],
  ] as const) {
    it(`made of ${JSON.stringify(text)} is ${name}`, () => assert.equal(tagName(text), name));
  }
});
