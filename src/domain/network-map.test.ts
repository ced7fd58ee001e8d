import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { contains, formatAddress, parseAddress, readNetwork } from './ip-address.ts';
import { NetworkMap } from './network-map.ts';

/** Few different bytes, so that networks lie in each other. */
const byte = fc.constantFrom(0, 1, 128, 255);
const ipv4 = fc.array(byte, { minLength: 4, maxLength: 4 });
const ipv6 = fc.array(byte, { minLength: 16, maxLength: 16 });
const address = fc.oneof(ipv4, ipv6).map(formatAddress);
const network = fc
  .oneof(fc.tuple(ipv4, fc.integer({ min: 0, max: 32 })), fc.tuple(ipv6, fc.nat({ max: 128 })))
  .map(([bytes, length]) => `${formatAddress(bytes)}/${length}`);

describe('a map of networks', () => {
  it('finds the longest network that contains an address, as a search of all does', () => {
    fc.assert(
      fc.property(fc.array(network, { maxLength: 40 }), address, (networks, text) => {
        const map = new NetworkMap<string>();
        for (const one of networks) if (map.get(one) === undefined) map.set(one, one);
        const bytes = parseAddress(text) ?? assert.fail('not an address');
        const [longest] = networks
          .filter((one) => contains(readNetwork(one), bytes))
          .sort((one, other) => readNetwork(other).length - readNetwork(one).length);
        assert.equal(map.findAll(text)[0], longest);
      }),
    );
  });

  it('knows equal networks, all around an address, and the two versions apart', () => {
    const map = new NetworkMap<string>();
    map.set('203.0.113.9/24', 'first');
    map.set('203.0.0.0/16', 'around');
    map.set('::/0', 'all of IPv6');
    assert.equal(map.get('203.0.113.0/24'), 'first');
    assert.deepEqual(map.findAll('203.0.113.200'), ['first', 'around']);
    assert.deepEqual(map.findAll('198.51.100.1'), []);
    assert.deepEqual(map.findAll('2001:db8::1'), ['all of IPv6']);
  });
});
