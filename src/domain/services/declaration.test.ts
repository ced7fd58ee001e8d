import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hostRefusal, networkRefusal } from './declaration.ts';

describe('a declared host', () => {
  it('is a name or an address that is written in full', () => {
    for (const pattern of ['ply.example', '*.ply.example', '203.0.113.7', '7.ply.example', '0x7.a'])
      assert.equal(hostRefusal(pattern), undefined, pattern);
  });

  it('is not another spelling of an address', () => {
    const wrong = ['127.1', '0x7f000001', '2130706433', '0177.0.0.1', '1.2.3.4.5', '*.1.2.3.4'];
    for (const pattern of [...wrong, '*.4', '1.2.3.256', '0x7f.0x1', 'a.0x'])
      assert.match(
        hostRefusal(pattern) ?? '',
        /^hosts must not have .*in full, such as 203\.0\.113\.7/,
        pattern,
      );
  });

  it('is not a public suffix', () => {
    assert.match(hostRefusal('*.co.uk') ?? '', /co\.uk is a public suffix/);
  });
});

describe('a declared network', () => {
  it('is an address without bits after its prefix', () => {
    for (const network of ['203.0.113.0/24', '1.2.3.4/32', '0.0.0.0/0', '2001:db8::/32', '::1/128'])
      assert.equal(networkRefusal(network), undefined, network);
  });

  it('is not an address in a network, and the refusal names both', () => {
    const right = {
      '1.2.3.4/8': ['1.0.0.0/8', '1.2.3.4/32'],
      '203.0.113.7/31': ['203.0.113.6/31', '203.0.113.7/32'],
      '10.0.0.1/0': ['0.0.0.0/0', '10.0.0.1/32'],
      '2001:db8::1/33': ['2001:db8::/33', '2001:db8::1/128'],
      '2001:db8:ffff::/36': ['2001:db8:f000::/36', '2001:db8:ffff::/128'],
    };
    for (const [network, [first, address]] of Object.entries(right))
      assert.equal(
        networkRefusal(network),
        `networks must not have ${network}, which is an address in a network. The network is ${first}, the address alone ${address}.`,
      );
  });
});
