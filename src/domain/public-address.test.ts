import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseAddress } from './ip-address.ts';
import { isPublicAddress, mayConnectTo } from './public-address.ts';

/** The first and the last address of each range, and its neighbours that are public. */
const EDGES: readonly [range: string, inside: readonly string[], outside: readonly string[]][] = [
  ['this network', ['0.0.0.0', '0.255.255.255'], ['1.0.0.0']],
  ['private', ['10.0.0.0', '10.255.255.255'], ['9.255.255.255', '11.0.0.0']],
  ['shared', ['100.64.0.0', '100.127.255.255'], ['100.63.255.255', '100.128.0.0']],
  ['loopback', ['127.0.0.0', '127.255.255.255'], ['126.255.255.255', '128.0.0.0']],
  ['link-local', ['169.254.0.0', '169.254.255.255'], ['169.253.255.255', '169.255.0.0']],
  ['private', ['172.16.0.0', '172.31.255.255'], ['172.15.255.255', '172.32.0.0']],
  ['assignments', ['192.0.0.0', '192.0.0.255'], ['191.255.255.255', '192.0.1.0']],
  ['documentation', ['192.0.2.0', '192.0.2.255'], ['192.0.1.255', '192.0.3.0']],
  ['6to4 relays', ['192.88.99.0', '192.88.99.255'], ['192.88.98.255', '192.88.100.0']],
  ['private', ['192.168.0.0', '192.168.255.255'], ['192.167.255.255', '192.169.0.0']],
  ['benchmarks', ['198.18.0.0', '198.19.255.255'], ['198.17.255.255', '198.20.0.0']],
  ['documentation', ['198.51.100.0', '198.51.100.255'], ['198.51.99.255', '198.51.101.0']],
  ['documentation', ['203.0.113.0', '203.0.113.255'], ['203.0.112.255', '203.0.114.0']],
  ['multicast and reserved', ['224.0.0.0', '255.255.255.255'], ['223.255.255.255']],
  ['the host of a cloud', ['168.63.129.16'], ['168.63.129.15', '168.63.129.17']],
  ['reserved', ['::', '1fff:ffff::', '4000::'], ['2000::', '3ffe:ffff::']],
  ['IPv4 in IPv6', ['::ffff:8.8.8.8', '::8.8.8.8', '64:ff9b::8.8.8.8', '64:ff9b:1::1'], []],
  ['assignments', ['2001::', '2001:1ff:ffff::'], ['2001:200::', '2000:ffff::']],
  ['documentation', ['2001:db8::', '2001:db8:ffff::'], ['2001:db7:ffff::', '2001:db9::']],
  ['6to4', ['2002::', '2002:ffff::'], ['2001:ffff::', '2003::']],
  ['documentation', ['3fff::', '3fff:fff::'], ['3fff:1000::']],
  ['local', ['fc00::', 'fdff::', 'fe80::1', 'fec0::1', 'ff02::1', '::1', '100::'], []],
];

describe('public addresses', () => {
  for (const [range, inside, outside] of EDGES) {
    it(`are those outside of ${inside.join(', ')} (${range})`, () => {
      for (const address of inside) assert.equal(isPublicAddress(address), false, address);
      for (const address of outside) assert.equal(isPublicAddress(address), true, address);
    });
  }

  it('are parsed only in the notation of addresses', () => {
    for (const text of [
      '',
      '1.2.3',
      '1.2.3.4.5',
      '1.2.3.4.',
      '01.2.3.4',
      '1.2.3.256',
      '0x1.2.3.4',
      '16909060',
      ' 1.2.3.4',
      'example.com',
      '[2606::1]',
      '2606::1%eth0',
      '2606:::1',
      '2606::1::2',
      '2606:1',
      ':',
    ]) {
      assert.equal(parseAddress(text), undefined, text);
      assert.equal(isPublicAddress(text), false, text);
      assert.equal(mayConnectTo(text, ['0.0.0.0/0', '::/0']), false, text);
    }
  });

  it('are read the same in every spelling', () => {
    const bytes = [0x26, 0x06, ...new Array(12).fill(0), 0xab, 0x01];
    for (const text of ['2606::ab01', '2606:0:0:0:0:0:0:AB01', '2606::0:0.0.171.1'])
      assert.deepEqual(parseAddress(text), bytes, text);
    assert.deepEqual(parseAddress('1.2.3.4'), [1, 2, 3, 4]);
  });

  it('are never private, in any notation', () => {
    const octet = fc.nat(255);
    const inside = fc.tuple(fc.constantFrom(10, 127, 0), octet, octet, octet);
    fc.assert(
      fc.property(inside, (quad) => {
        const dotted = quad.join('.');
        const hex = Buffer.from(quad)
          .toString('hex')
          .replace(/^(.{4})/, '$1:');
        for (const text of [
          dotted,
          `::${dotted}`,
          `::ffff:${hex}`,
          `64:ff9b::${hex}`,
          `2002:${hex}::`,
        ])
          assert.equal(isPublicAddress(text), false, text);
      }),
      { seed: 4, numRuns: 200 },
    );
  });

  it('may be reached, and others if their network is allowed', () => {
    assert.equal(mayConnectTo('8.8.8.8', []), true);
    assert.equal(mayConnectTo('10.1.2.3', []), false);
    assert.equal(mayConnectTo('10.1.2.3', ['fd00::/8', '10.1.2.0/30']), true);
    assert.equal(mayConnectTo('10.1.2.4', ['10.1.2.0/30']), false);
    assert.equal(mayConnectTo('::ffff:10.1.2.3', ['10.0.0.0/8']), false);
    assert.equal(mayConnectTo('127.0.0.1', ['0.0.0.0/0']), true);
    assert.throws(() => mayConnectTo('127.0.0.1', ['nonsense']), /not a network/);
  });
});
