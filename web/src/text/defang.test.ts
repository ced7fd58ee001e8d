import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defang, defangLink, defangText } from './defang.ts';

describe('defanging', () => {
  it('breaks addresses and links for programs', () => {
    assert.equal(defang('evil.example:4444'), 'evil[.]example:4444');
    assert.equal(defang('[2001:db8::1]:80'), '[2001[:]db8[:][:]1]:80');
    assert.equal(defang('2001:db8::1'), '2001[:]db8[:][:]1');
    assert.equal(defangLink('https://a.example/b.c'), 'hxxps://a[.]example/b.c');
  });

  it('breaks links and known hosts in a text, and nothing else', () => {
    assert.equal(
      defangText('c2.example, http://x.example/a.b v1.2', ['c2.example']),
      'c2[.]example, hxxp://x[.]example/a.b v1.2',
    );
    assert.equal(defangText('2001:db8::1, 12:30', ['2001:db8::1']), '2001[:]db8[:][:]1, 12:30');
  });
});
