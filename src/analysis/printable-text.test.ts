import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shownText } from './printable-text.ts';

describe('a text that is shown', () => {
  for (const [text, shown] of [
    ['plain – text', 'plain – text'],
    ['a\nb\x00', 'a\\x0ab\\x00'],
    ['gpj.\u202eexe', 'gpj.\\u{202e}exe'],
    ['zero\u200bwidth', 'zero\\u{200b}width'],
    ['lone \ud800', 'lone \\u{d800}'],
  ] as const) {
    it(`has nothing hidden: ${JSON.stringify(text)}`, () =>
      assert.equal(shownText(text, 100), shown));
  }

  it('is cut where it is too long, and says so', () => {
    assert.equal(shownText('a'.repeat(20), 10), `${'a'.repeat(9)}…`);
  });
});
