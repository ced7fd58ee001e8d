import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toAttribute, toSingular } from '../../scripts/generate/python-names.ts';
import { PythonTypes } from '../../scripts/generate/python-types.ts';
import type { JsonSchema } from '../../scripts/generate/typescript.ts';

function classes(schema: JsonSchema, isRequest = false): string {
  const types = new PythonTypes();
  types.addClass('Answer', schema, { isRequest });
  return types.text;
}

describe('the names of Python models', () => {
  for (const [wireName, attribute] of [
    ['file256Hash', 'file256_hash'],
    ['firstSeenID', 'first_seen_id'],
    ['mD5Hash', 'md5_hash'],
    ['ssDeep', 'ssdeep'],
    ['c2Address', 'c2_address'],
    ['requests_left', 'requests_left'],
    ['from', 'from_'],
  ] as const)
    it(`write ${wireName} as ${attribute}`, () => assert.equal(toAttribute(wireName), attribute));

  it('refuse a name that is no attribute', () => {
    assert.throws(() => toAttribute('webhook-id'), /webhook-id has no name in Python/);
  });

  it('use the singular for the items of a list', () => {
    assert.deepEqual(['families', 'days', 'evidence', 'address'].map(toSingular), [
      'family',
      'day',
      'evidence',
      'address',
    ]);
  });
});

describe('the types of Python models', () => {
  it('keep optional members apart from those that may be null', () => {
    const text = classes({
      type: 'object',
      properties: {
        a: { type: ['string', 'null'] },
        b: { type: 'integer' },
        isLast: { type: 'boolean', const: true },
        successful: { type: 'boolean', const: true },
      },
      required: ['a', 'successful'],
    });
    assert.deepEqual(
      text.split('\n').filter((line) => line.includes('_field')),
      [
        '    a: str | None = _field(metadata={"wire": "a"})',
        '    b: int | None = _field(default=None, metadata={"wire": "b"})',
        '    is_last: bool = _field(default=False, metadata={"wire": "isLast"})',
      ],
    );
  });

  it('give nested objects a class of their own, and equal ones the same', () => {
    const tag = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const tags = { type: 'array', items: tag };
    const text = classes({ type: 'object', properties: { tags, hottest: tag, older: tags } });
    assert.deepEqual(text.match(/^class .*$/gm), ['class AnswerTag:', 'class Answer:']);
    assert.match(text, /older: tuple\[AnswerTag, \.\.\.\] \| None/);
  });

  it('let requests have any sequence, and leave out members that the server ignores', () => {
    const text = classes(
      {
        type: 'object',
        properties: { tags: { type: 'array', items: { type: 'string' } }, id: {} },
      },
      true,
    );
    assert.match(text, /tags: Sequence\[str\] \| None/);
    assert.doesNotMatch(text, /"id"/);
  });

  it('write no line that is longer than 100 columns', () => {
    const values = Array.from({ length: 30 }, (_, index) => `value-${index}`);
    const text = classes({
      type: 'object',
      description: 'word '.repeat(60).trim(),
      properties: {
        kind: { type: 'string', enum: values, description: 'word '.repeat(40).trim() },
      },
    });
    assert.deepEqual(
      text.split('\n').filter((line) => line.length > 100),
      [],
    );
  });
});
