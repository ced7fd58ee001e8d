import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always } from '../../../test/always.ts';
import { Problem } from '../../domain/problem.ts';
import { readIdempotencyKey } from './idempotency-key.ts';

const printable = Array.from({ length: 0x5f }, (_, index) => String.fromCharCode(0x20 + index));
const quotable = printable.filter((sign) => sign !== '"');

describe('an idempotency key', () => {
  it('may be quoted, as in the draft', () => {
    const key = fc.string({ unit: fc.constantFrom(...quotable), minLength: 1, maxLength: 255 });
    always(fc.property(key, (text) => assert.equal(readIdempotencyKey(`"${text}"`), text)));
  });

  it('may be unquoted', () => {
    const bare = fc.constantFrom(...quotable.filter((sign) => sign !== ' '));
    const key = fc.string({ unit: bare, minLength: 1, maxLength: 255 });
    always(fc.property(key, (text) => assert.equal(readIdempotencyKey(text), text)));
  });

  it('is the same with quotes and without', () => {
    always(
      fc.property(fc.uuid(), (text) => {
        assert.equal(readIdempotencyKey(`"${text}"`), readIdempotencyKey(text));
      }),
    );
  });

  it('may be absent', () => {
    assert.equal(readIdempotencyKey(undefined), undefined);
  });

  it('has at most 255 characters', () => {
    assert.equal(readIdempotencyKey('x'.repeat(255)), 'x'.repeat(255));
    assert.throws(() => readIdempotencyKey('x'.repeat(256)), Problem);
    assert.throws(() => readIdempotencyKey(`"${'x'.repeat(256)}"`), Problem);
  });

  const wrong = ['', '""', '"', '"a', 'a"', 'a"b', '"a"b"', 'a b', '"a\nb"', 'é', '"\x7f"', 'a\0'];
  for (const text of wrong) {
    it(`is not ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => readIdempotencyKey(text),
        (error) => error instanceof Problem && error.code === 'invalid_header',
      );
    });
  }

  it('may be sent only once', () => {
    for (const header of [['a', 'b'], ['"a"', '"b"'], 'a, b', '"a", "b"'])
      assert.throws(() => readIdempotencyKey(header), Problem);
  });
});
