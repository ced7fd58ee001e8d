import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asciiLine, hostKind, isPort, isSha256, oneLine } from './characters.ts';

describe('the characters of exports', () => {
  it('tell the kinds of hosts', () => {
    assert.equal(hostKind('1.2.3.4'), 'ipv4');
    assert.equal(hostKind('2a01:4f8::7'), 'ipv6');
    assert.equal(hostKind('_a-b.ply.example'), 'name');
  });

  for (const host of [
    '',
    'A.example',
    'a..b',
    '.a',
    'a.',
    'a b',
    'a\n',
    '*.a',
    'a/b',
    '1.2.3.0/24',
    '2A01::1',
    '::1 }',
    'é.example',
    `${'a'.repeat(64)}.example`,
    'a.'.repeat(127),
    `${'a.'.repeat(126)}ab`,
  ])
    it(`refuse the host ${JSON.stringify(host.slice(0, 20))}`, () => {
      assert.equal(hostKind(host), undefined);
    });

  it('accept a name of 253 characters', () => {
    assert.equal(hostKind(`${'a.'.repeat(126)}a`), 'name');
  });

  it('accept ports and hashes in their canonical form', () => {
    assert.deepEqual([0, 1, 65_535, 65_536, 1.5, Number.NaN].map(isPort), [
      false,
      true,
      true,
      false,
      false,
      false,
    ]);
    assert.equal(isSha256('0a'.repeat(32)), true);
    for (const text of ['0A'.repeat(32), '0a'.repeat(31), `${'0a'.repeat(32)}\n`])
      assert.equal(isSha256(text), false);
  });

  it('keep a text on one line', () => {
    const breaks = ['\n', '\r', '\v', '\f', '\x1c', '\x85', '\u2028', '\u2029', '\0', '\x7f'];
    for (const character of [...breaks, '\u202e', '\ufeff', '\ud800'])
      assert.equal(oneLine(`a${character}b`), 'a\ufffdb');
    assert.equal(oneLine('naïve 😀 "text"'), 'naïve 😀 "text"');
  });

  it('reduce comments to ASCII', () => {
    assert.equal(asciiLine('a\nb\u2028é~'), 'a?b??~');
  });
});
