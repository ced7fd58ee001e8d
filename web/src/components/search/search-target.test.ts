import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameOf, pageOf } from './search-target.ts';

const HASH = 'AB'.repeat(32);

describe('what a search names', () => {
  for (const [text, named] of [
    [` ${HASH} `, { kind: 'file', hash: HASH.toLowerCase() }],
    ['evil[.]example:4444', { kind: 'c2', c2: 'evil.example:4444' }],
    ['EVIL(.)example[:]4444', { kind: 'c2', c2: 'evil.example:4444' }],
    ['hxxps://evil[dot]example:8443/path?a', { kind: 'c2', c2: 'evil.example:8443' }],
    ['hxxp://evil[.]example/path', { kind: 'host', host: 'evil.example' }],
    ['198[.]51[.]100[.]7:7707', { kind: 'c2', c2: '198.51.100.7:7707' }],
    ['[2001:db8::7]:443', { kind: 'c2', c2: '[2001:db8::7]:443' }],
    ['198.51.100.7', { kind: 'host', host: '198.51.100.7' }],
    ['evil.example:0', undefined],
    ['evil.example:99999', undefined],
    ['asyncrat', undefined],
    ['<img src=x>', undefined],
  ] as const)
    it(text, () => assert.deepEqual(nameOf(text), named));
});

describe('the page of a search', () => {
  it('a name with dots is searched: it may be a file', () =>
    assert.deepEqual(pageOf('invoice.exe'), { to: '/find', search: { q: 'invoice.exe' } }));

  it('an IP address is a host', () =>
    assert.deepEqual(pageOf('198[.]51[.]100[.]7'), {
      to: '/hosts/$host',
      params: { host: '198.51.100.7' },
    }));

  it('nothing leads nowhere', () => assert.equal(pageOf('  '), undefined));
});
