import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  bitsOf,
  bitsOfCanonical,
  contains,
  NetworkSet,
  parseAddress,
  readNetwork,
} from './ip-address.ts';

describe('a set of networks', () => {
  it('has the addresses of each', () => {
    const networks = new NetworkSet(['10.1.0.0/20', '45.0.0.9/32', '2a01:4f8::/29', '0.0.0.0/0']);
    for (const address of ['10.1.15.255', '45.0.0.9', '2a01:4ff:ffff::', '8.8.8.8'])
      assert.equal(networks.has(address), true, address);
    for (const address of ['2a01:500::', 'evil.example', ''])
      assert.equal(networks.has(address), false, address);
    assert.equal(new NetworkSet([]).has('10.1.0.0'), false);
  });

  it('agrees with a search of all', () => {
    const bits = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(255), fc.nat(255));
    const network = fc
      .tuple(bits, fc.nat(32))
      .map(([quad, length]) => `${quad.join('.')}/${length}`);
    fc.assert(
      fc.property(fc.array(network, { maxLength: 5 }), bits, (networks, quad) => {
        const found = networks.some((one) => contains(readNetwork(one), quad));
        assert.equal(new NetworkSet(networks).has(quad.join('.')), found);
      }),
      { seed: 6, numRuns: 500 },
    );
  });
});

describe('the bits of a canonical address', () => {
  it('are those of its bytes', () => {
    const ipv4 = fc.ipV4();
    // The URL parser brings IPv6 addresses into their canonical form.
    const ipv6 = fc
      .oneof(fc.ipV6(), fc.constantFrom('::', '::1', '1::', '2001:db8::7', '1:2:3:4:5:6:7:8'))
      .map((text) => new URL(`http://[${text}]/`).hostname.slice(1, -1));
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), (address) => {
        assert.equal(bitsOfCanonical(address), bitsOf(parseAddress(address) ?? assert.fail()));
      }),
      { numRuns: 500 },
    );
    assert.equal(bitsOfCanonical('203.0.113.1'), '11001011000000000111000100000001');
  });
});
