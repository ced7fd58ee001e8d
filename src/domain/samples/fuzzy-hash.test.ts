import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always } from '../../../test/always.ts';
import { compareFuzzyHashes, type FuzzyHash, fuzzyGrams, parseFuzzyHash } from './fuzzy-hash.ts';

const reference: { signatures: string[]; scores: string } = JSON.parse(
  readFileSync(
    new URL('../../../test/fixtures/analysis/ssdeep/scores.json', import.meta.url),
    'utf8',
  ),
);
const signatures = reference.signatures.map(parsed);
const scores = reference.scores.split(',').map((row) => row.split(' ').map(Number));

function parsed(text: string): FuzzyHash {
  const hash = parseFuzzyHash(text);
  assert.ok(hash, text);
  return hash;
}

function compare(a: string, b: string): number {
  return compareFuzzyHashes(parsed(a), parsed(b));
}

function squeezed(text: string): string {
  return text.replace(/(.)\1{3,}/g, '$1$1$1');
}

function isEqual(a: FuzzyHash, b: FuzzyHash): boolean {
  return (
    a.blockSize === b.blockSize &&
    squeezed(a.first) === squeezed(b.first) &&
    squeezed(a.second) === squeezed(b.second)
  );
}

function sharesKey(a: FuzzyHash, b: FuzzyHash): boolean {
  const keys = new Set(fuzzyGrams(a));
  return fuzzyGrams(b).some((key) => keys.has(key));
}

/** Few different characters and a few lengths, so that grams in common are not rare. */
const half = fc
  .array(fc.constantFrom('abcdefg', 'hijklmn', 'abc', 'Z', '++++++', '/'), { maxLength: 9 })
  .map((parts) => parts.join('').slice(0, 64));
const level = fc.oneof(fc.constantFrom(0, 1, 2, 29, 30), fc.nat(30));
const fuzzyHash = fc
  .tuple(level, half, half)
  .map(([power, first, second]): FuzzyHash => ({ blockSize: 3 * 2 ** power, first, second }));

describe('a fuzzy hash', () => {
  it('is read from its text', () => {
    assert.deepEqual(parseFuzzyHash('96:abc+/Z09:xyz'), {
      blockSize: 96,
      first: 'abc+/Z09',
      second: 'xyz',
    });
    assert.deepEqual(parseFuzzyHash('3::'), { blockSize: 3, first: '', second: '' });
    assert.equal(parsed('3221225472:a:b').blockSize, 3 * 2 ** 30);
  });

  for (const text of [
    '',
    ':',
    '3:',
    '3:a',
    'a:b:c',
    '3:a:b:c',
    '3:a:b,"name"',
    '3:a b:c',
    '3:a-:c',
    '3:é:c',
    ' 3:a:b',
    '3:a:b\n',
    '+3:a:b',
    '03:a:b',
    '3.0:a:b',
    '0:a:b',
    '1:a:b',
    '2:a:b',
    '4:a:b',
    '9:a:b',
    '15:a:b',
    '3221225473:a:b',
    '6442450944:a:b',
    '99999999999:a:b',
    `3:${'a'.repeat(65)}:b`,
    `3:a:${'b'.repeat(65)}`,
  ]) {
    it(`is not read from ${JSON.stringify(text)}`, () => {
      assert.equal(parseFuzzyHash(text), undefined);
    });
  }
});

describe('the similarity of two fuzzy hashes', () => {
  it('is the same as that of the ssdeep tool, for thousands of pairs', () => {
    assert.ok(scores.length >= 2000);
    assert.ok(scores.filter(([, , score]) => score !== 0).length >= 800);
    const others = scores.filter(([a = 0, b = 0, score]) => {
      const [one, other] = [signatures[a], signatures[b]];
      return one && other && compareFuzzyHashes(one, other) !== score;
    });
    assert.deepEqual(others, []);
  });

  it('is 100 for equal ones, also short or empty ones', () => {
    assert.equal(compare('3::', '3::'), 100);
    assert.equal(compare('6:ab:c', '6:ab:c'), 100);
  });

  it('ignores the length of a run beyond three', () => {
    assert.equal(compare('3:aaaa:b', '3:aaaaaaaaa:b'), 100);
    assert.equal(compare('3:aaaa:b', '3:aaa:b'), 100);
    assert.equal(compare('3:aaa:b', '3:aa:b'), 0);
  });

  it('is zero without seven consecutive characters in common', () => {
    assert.equal(compare('96:abcdefXhijklm:', '96:abcdefYhijklm:'), 0);
    assert.ok(compare('96:abcdefgXhijklm:', '96:abcdefgYhijklm:') > 80);
  });

  it('is computed only from halves of the same block size', () => {
    const text = 'abcdefghijklmnop';
    assert.ok(compare(`96:${text}:`, `48:zz:${text}`) > 90);
    assert.ok(compare(`48:zz:${text}`, `96:${text}:`) > 90);
    assert.equal(compare(`96:${text}:`, `48:${text}:`), 0);
    assert.equal(compare(`96:${text}:`, `24:${text}:${text}`), 0);
  });

  it('stays low if few characters represent tiny pieces', () => {
    assert.equal(compare('3:abcdefgh:', '3:abcdefgh:x'), 8);
    assert.equal(compare('6:abcdefgh:', '6:abcdefgh:x'), 16);
    assert.equal(compare('48:abcdefgh:', '48:abcdefgh:x'), 100);
  });

  it('is the same from both sides, and from 0 to 100', () => {
    always(
      fc.property(fuzzyHash, fuzzyHash, (a, b) => {
        const score = compareFuzzyHashes(a, b);
        assert.equal(compareFuzzyHashes(b, a), score);
        assert.ok(Number.isInteger(score) && score >= 0 && score <= 100);
      }),
    );
  });
});

describe('the gram keys of a fuzzy hash', () => {
  it('are distinct safe integers, at most one for each index', () => {
    always(
      fc.property(fuzzyHash, (hash) => {
        const keys = fuzzyGrams(hash);
        assert.equal(new Set(keys).size, keys.length);
        assert.ok(keys.every((key) => Number.isSafeInteger(key) && key >= 0));
        assert.ok(keys.length <= 2 * (64 - 6));
      }),
    );
  });

  it('are shared exactly if a gram is, in halves of the same block size', () => {
    const grams = (text: string) =>
      Array.from({ length: Math.max(text.length - 6, 0) }, (_, at) => text.slice(at, at + 7));
    const named = ({ blockSize, first, second }: FuzzyHash) =>
      [first, second].flatMap((text, index) =>
        grams(squeezed(text)).map((gram) => `${blockSize * (index + 1)} ${gram}`),
      );
    always(
      fc.property(fuzzyHash, fuzzyHash, (a, b) => {
        const names = new Set(named(a));
        assert.equal(
          sharesKey(a, b),
          named(b).some((name) => names.has(name)),
        );
      }),
      300,
    );
  });

  it('are shared by any two hashes that are similar but not equal', () => {
    always(
      fc.property(fuzzyHash, fuzzyHash, (a, b) => {
        assert.ok(compareFuzzyHashes(a, b) === 0 || isEqual(a, b) || sharesKey(a, b));
      }),
      300,
    );
    for (const [a = 0, b = 0, score = 0] of scores) {
      const [one, other] = [signatures[a], signatures[b]];
      if (one && other && score > 0) assert.ok(isEqual(one, other) || sharesKey(one, other));
    }
  });

  it('stay the same in every version, because stored ones must be found', () => {
    assert.deepEqual(fuzzyGrams(parsed('3:AAABAAA:')), [64 ** 3]);
    assert.deepEqual(fuzzyGrams(parsed('6:ABCDEFGH:')), [4_399_154_610_502, 4_468_964_872_583]);
    assert.deepEqual(fuzzyGrams(parsed('3::ABCDEFGH')), [4_399_154_610_502, 4_468_964_872_583]);
  });
});
