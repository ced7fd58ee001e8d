import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { contains, formatAddress, readNetwork } from './ip-address.ts';
import { networkRanges } from './network-ranges.ts';

const rangesOf = (text: string) => networkRanges(readNetwork(text));

describe('the ranges of a network', () => {
  for (const [network, ranges] of [
    ['192.0.2.0/24', [['192.0.2.', '192.0.2.g']]],
    ['192.0.2.128/25', [['192.0.2.', '192.0.2.g']]],
    ['10.0.0.0/8', [['10.', '10.g']]],
    [
      '172.18.0.0/15',
      [
        ['172.18.', '172.18.g'],
        ['172.19.', '172.19.g'],
      ],
    ],
    ['0.0.0.0/0', [['0', '9g']]],
    [
      '10.64.0.0/10',
      [
        ['10.64', '10.99g'],
        ['10.100', '10.127g'],
      ],
    ],
    ['128.0.0.0/1', [['128', '255g']]],
    ['2001:db8::/32', [['2001:db8:', '2001:db8:g']]],
    ['2001:db8:1000::/36', [['2001:db8:1000', '2001:db8:1fffg']]],
    ['2001:db8:0:5::/64', [['2001:db8:0:5:', '2001:db8:0:5:g']]],
    [
      '2001:db8:0:0::/64',
      [
        ['2001:db8:0:0:', '2001:db8:0:0:g'],
        ['2001:db8::', '2001:db8::g'],
      ],
    ],
    [
      '2001:0:0:5::/64',
      [
        ['2001:0:0:5:', '2001:0:0:5:g'],
        ['2001::5:', '2001::5:g'],
      ],
    ],
  ] as const)
    it(network, () =>
      assert.deepEqual(
        rangesOf(network).map(({ from, to }) => [from, to]),
        ranges,
      ),
    );

  it('are at most 32', () => {
    for (const length of Array.from({ length: 33 }, (_, index) => index))
      assert.ok(rangesOf(`255.255.255.255/${length}`).length <= 32, `/${length}`);
    for (const length of Array.from({ length: 128 }, (_, index) => index))
      assert.ok(rangesOf(`2001:db8::/${length}`).length <= 8, `/${length}`);
  });

  it('have every address of the network, once', () => {
    const byte = fc.oneof(fc.constant(0), fc.constant(0), fc.integer({ min: 0, max: 255 }));
    const network = fc.constantFrom(4, 16).chain((size) =>
      fc.record({
        bytes: fc.array(byte, { minLength: size, maxLength: size }),
        other: fc.array(byte, { minLength: size, maxLength: size }),
        // The text of a whole IPv6 address is no range.
        length: fc.integer({ min: 0, max: 8 * size - 1 }),
      }),
    );
    fc.assert(
      fc.property(network, ({ bytes, other, length }) => {
        const inside = other.map((value, index) => {
          const kept = Math.min(8, Math.max(0, length - 8 * index));
          const mask = (0xff << (8 - kept)) & 0xff;
          return ((bytes[index] ?? 0) & mask) | (value & ~mask & 0xff);
        });
        assert.ok(contains({ bytes, length }, inside));
        const text = formatAddress(inside);
        const holding = networkRanges({ bytes, length }).filter(
          ({ from, to }) => from <= text && text < to,
        );
        assert.equal(holding.length, 1, `${text} in ${formatAddress(bytes)}/${length}`);
      }),
      { seed: 7, numRuns: 5000 },
    );
  });
});
