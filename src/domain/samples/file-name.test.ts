import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseFileName } from './file-name.ts';

describe('a file name that was sent along', () => {
  for (const [what, sent, kept] of [
    ['is kept as it is', 'invoice 2026 (final).exe', 'invoice 2026 (final).exe'],
    ['is kept in any script', 'счёт-請求書.exe', 'счёт-請求書.exe'],
    ['loses the folders before it', '/home/alice/evil.bin', 'evil.bin'],
    ['loses the folders of other systems', 'C:\\Users\\alice\\evil.exe', 'evil.exe'],
    ['cannot climb', '../../etc/passwd', 'passwd'],
    ['loses characters that reverse the text', 'invoice\u202Efdp.exe', 'invoicefdp.exe'],
    ['loses control characters', 'a\u0000b\r\nc\u001b[31m.exe', 'abc[31m.exe'],
    ['loses characters of no width', 'a\u200Bb\uFEFFc.exe', 'abc.exe'],
    ['loses halves of characters', 'a\uD800b', 'a\uFFFDb'],
    ['loses the spaces around it', '  evil.exe ', 'evil.exe'],
  ] as const) {
    it(what, () => {
      assert.equal(parseFileName(sent), kept);
    });
  }

  for (const text of ['', '   ', '.', '..', 'folder/', 'folder\\', '\u200B', '/..'])
    it(`is absent if nothing remains: ${JSON.stringify(text)}`, () => {
      assert.equal(parseFileName(text), undefined);
    });

  it('has 255 characters at most, none of them cut in half', () => {
    assert.equal(parseFileName('x'.repeat(255)), 'x'.repeat(255));
    assert.equal(parseFileName('x'.repeat(1000)), 'x'.repeat(255));
    assert.equal(parseFileName('😀'.repeat(300)), '😀'.repeat(255));
    assert.equal(parseFileName('😀'.repeat(200)), '😀'.repeat(200));
  });

  it('does not end in a space where it was cut', () => {
    assert.equal(parseFileName(`${'x'.repeat(254)} y`), 'x'.repeat(254));
  });
});
