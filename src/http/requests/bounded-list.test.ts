import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { itemsUpTo, listOf } from './bounded-list.ts';

describe('the items of a list', () => {
  it('are those of a list that is not too long', () => {
    assert.deepEqual(itemsUpTo(2, ['a', 1]), ['a', 1]);
    assert.equal(itemsUpTo(2, [1, 2, 3]), undefined);
    assert.equal(itemsUpTo(2, { length: 1 }), undefined);
    assert.equal(itemsUpTo(2, 'ab'), undefined);
  });
});

describe('the schema of a list', () => {
  const schema = listOf(z.string(), { min: 1, max: 3 });

  it('accepts a list within its bounds', () => {
    assert.deepEqual(schema.parse(['a', 'b']), ['a', 'b']);
    for (const value of [[], ['a', 'b', 'c', 'd'], [1], 'a', { length: 1 }, undefined])
      assert.equal(schema.safeParse(value).success, false, JSON.stringify(value));
    assert.deepEqual(listOf(z.string(), { max: 3 }).parse([]), []);
  });

  it('checks no item of a list that is too long', () => {
    let checked = 0;
    const item = z.string().refine(() => {
      checked += 1;
      return false;
    });
    const { error } = listOf(item, { max: 3 }).safeParse(Array(100_000).fill('a'));
    assert.equal(checked, 0);
    assert.equal(error?.issues.length, 1);
  });

  it('checks few items after an invalid one, and says where it is', () => {
    let checked = 0;
    const item = z.string().refine((text) => {
      checked += 1;
      return text !== 'b';
    });
    const values = Array(10_000).fill('a').with(120, 'b').with(9000, 'b');
    const { error } = z.object({ list: listOf(item, { max: 10_000 }) }).safeParse({ list: values });
    assert.ok(checked < 200);
    assert.deepEqual(
      error?.issues.map(({ path }) => path),
      [['list', 120]],
    );
  });

  it('is optional like any other', () => {
    const object = z.strictObject({ list: schema.optional() });
    assert.deepEqual(object.parse({}), {});
    assert.deepEqual(object.parse({ list: ['a'] }), { list: ['a'] });
  });

  it('is described as a list', () => {
    assert.partialDeepStrictEqual(z.toJSONSchema(schema, { io: 'input' }), {
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      maxItems: 3,
    });
  });
});
