import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { strictUrl } from './strict-url.ts';

describe('a strict URL', () => {
  it('encodes what browsers accept and RFC 3986 does not', () => {
    assert.equal(
      strictUrl('https://x.example/a|b[c]{d}^`"<>'),
      'https://x.example/a%7Cb%5Bc%5D%7Bd%7D%5E%60%22%3C%3E',
    );
    assert.equal(
      strictUrl('https://例え.example/ä?ö=ü#ß#x'),
      'https://xn--r8jz45g.example/%C3%A4?%C3%B6=%C3%BC#%C3%9F%23x',
    );
    assert.equal(
      strictUrl('https://x.example/100%?q=%zz&r=%41'),
      'https://x.example/100%25?q=%25zz&r=%41',
    );
  });

  it('keeps what is strict already', () => {
    for (const url of [
      'https://x.example/',
      'http://x.example:8080/a/b;c=1,2?q=a+b&c=(d)!$*#top',
      'https://[2001:db8::1]/~user/%E4',
    ])
      assert.equal(strictUrl(url), url);
  });

  it('is what a parser makes of it', () => {
    for (const [text, expected] of [
      ['https://x.example', 'https://x.example/'],
      ['https://x.example/a/../b', 'https://x.example/b'],
      ['https://x.example/./b', 'https://x.example/b'],
      ['https://x.example//b..c/.d', 'https://x.example//b..c/.d'],
      ['https://X.example/B', 'https://x.example/B'],
      ['https://1.0x7f/', 'https://1.0.0.127/'],
      ['https://x.example:443/', 'https://x.example/'],
      ['https://x.example/a-b_c~d.e/1', 'https://x.example/a-b_c~d.e/1'],
    ] as const)
      assert.equal(strictUrl(text), expected);
  });

  it('is absent for other text', () => {
    for (const text of ['', 'x.example', 'javascript:alert(1)', 'https://a"b.example/', 'ftp://x/'])
      assert.equal(strictUrl(text), undefined, text);
  });
});
