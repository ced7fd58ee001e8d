import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { printableText } from './printable-text.ts';

describe('printable text', () => {
  for (const [text, shown] of [
    ['plain – text', 'plain – text'],
    ['a\nb\x00', 'a\\x0ab\\x00'],
    ['gpj.\u202eexe', 'gpj.\\u{202e}exe'],
    ['zero\u200bwidth', 'zero\\u{200b}width'],
    ['lone \ud800', 'lone \\u{d800}'],
  ] as const) {
    it(`escapes invisible characters: ${JSON.stringify(text)}`, () =>
      assert.equal(printableText(text, 100), shown));
  }

  it('is cut to the maximum length, with an ellipsis', () => {
    assert.equal(printableText('a'.repeat(20), 10), `${'a'.repeat(9)}…`);
  });
});
