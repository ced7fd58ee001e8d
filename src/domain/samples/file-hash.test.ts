import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always } from '../../../test/always.ts';
import { parseFileHash, parseHexDigest, parseSha256 } from './file-hash.ts';

function hex(length: number): fc.Arbitrary<string> {
  const digit = fc.constantFrom(...'0123456789abcdefABCDEF');
  return fc.string({ unit: digit, minLength: length, maxLength: length });
}

/** The text with one sign replaced by what is no hexadecimal digit. */
function spoilt(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const sign = fc.constantFrom(...'gGxzO ./%:-_\0\n', 'é', '０', 'ａ', '٣', '\u200b');
  return fc
    .tuple(texts, sign, fc.nat())
    .map(
      ([text, bad, at]) =>
        text.slice(0, at % text.length) + bad + text.slice((at % text.length) + 1),
    );
}

describe('a file hash', () => {
  it('of 64 digits is tried as SHA-256 first, then as BLAKE3', () => {
    always(
      fc.property(hex(64), (text) => {
        assert.deepEqual(parseFileHash(text), {
          hex: text.toLowerCase(),
          kinds: ['sha256', 'blake3'],
        });
      }),
    );
  });

  it('of 128 digits is a SHA-512', () => {
    always(
      fc.property(hex(128), (text) => {
        assert.deepEqual(parseFileHash(text), { hex: text.toLowerCase(), kinds: ['sha512'] });
      }),
    );
  });

  it('has no other length', () => {
    const lengths = fc.nat({ max: 300 }).filter((length) => length !== 64 && length !== 128);
    always(fc.property(lengths.chain(hex), (text) => assert.equal(parseFileHash(text), undefined)));
  });

  it('has hexadecimal digits only', () => {
    always(
      fc.property(spoilt(fc.oneof(hex(64), hex(128))), (text) => {
        assert.equal(parseFileHash(text), undefined);
      }),
    );
  });

  it('has nothing around it', () => {
    const text = 'a'.repeat(64);
    for (const wrong of [` ${text}`, `${text}\n`, `0x${text.slice(2)}`, `sha256:${text}`])
      assert.equal(parseFileHash(wrong), undefined, wrong);
  });
});

describe('a digest', () => {
  it('of the right length is kept in lower case', () => {
    always(
      fc.property(
        fc
          .constantFrom(16, 20, 32, 64)
          .chain((bytes) => fc.tuple(fc.constant(bytes), hex(bytes * 2))),
        ([bytes, text]) => assert.equal(parseHexDigest(text, bytes), text.toLowerCase()),
      ),
    );
  });

  it('of another length is refused', () => {
    always(
      fc.property(
        fc
          .nat({ max: 200 })
          .filter((length) => length !== 64)
          .chain(hex),
        (text) => {
          assert.equal(parseSha256(text), undefined);
        },
      ),
    );
  });

  it('with another sign is refused', () => {
    always(fc.property(spoilt(hex(64)), (text) => assert.equal(parseSha256(text), undefined)));
  });

  it('is a SHA-256 where it has 64 digits', () => {
    assert.equal(parseSha256('AB'.repeat(32)), 'ab'.repeat(32));
  });
});
