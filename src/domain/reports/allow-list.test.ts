import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseAllowedHost } from './allow-list.ts';

describe('an entry of the allow list', () => {
  for (const [text, entry] of [
    ['Good.Example', 'good.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['2620:FE:0::/48', '2620:fe::/48'],
    ['9.9.9.9', '9.9.9.9/32'],
    ['2620:fe::fe', '2620:fe::fe/128'],
    ['[2620:fe::fe]', '2620:fe::fe/128'],
  ] as const)
    it(`may be ${text}`, () => assert.equal(parseAllowedHost(text), entry));

  for (const text of ['', '*.good.example', '10.0.0.0/33', '1.2.3', 'a b', 'good.example:443'])
    it(`is not "${text}"`, () => assert.equal(parseAllowedHost(text), undefined));
});
