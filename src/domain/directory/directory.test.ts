import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Directory } from './directory.ts';
import type { Provider } from './provider.ts';

const fact = (value: string, day = '2026-01-31') => ({
  value,
  source: 'https://provider.example/',
  date: new Date(`${day}T00:00:00Z`),
});

function provider(name: string, { suffixes = [], networks = [] }: Names = {}): Provider {
  return {
    name,
    kind: 'tunnel',
    suffixes: suffixes.map((value) => fact(value)),
    networks: networks.map((value) => fact(value)),
    mail: undefined,
    form: undefined,
    feed: undefined,
  };
}

interface Names {
  readonly suffixes?: readonly string[];
  readonly networks?: readonly string[];
}

/** Few different labels, so that names lie below each other. */
const name = fc
  .array(fc.constantFrom('a', 'b', 'ab'), { minLength: 1, maxLength: 5 })
  .map((labels) => labels.join('.'));

describe('the directory', () => {
  it('finds the longest suffix of a name, whatever the order of the providers', () => {
    const shuffled = fc
      .uniqueArray(name, { maxLength: 20 })
      .chain((names) =>
        fc.tuple(
          fc.constant(names),
          fc.shuffledSubarray(names, { minLength: names.length, maxLength: names.length }),
        ),
      );
    fc.assert(
      fc.property(shuffled, name, ([names, others], host) => {
        const [longest] = names
          .filter((suffix) => host === suffix || host.endsWith(`.${suffix}`))
          .sort((one, other) => other.length - one.length);
        for (const order of [names, others]) {
          const directory = new Directory(order.map((one) => provider(one, { suffixes: [one] })));
          assert.equal(directory.find(host)?.suffix, longest);
          assert.equal(directory.find(host)?.name, longest);
        }
      }),
    );
  });

  it('finds the longest network of an address, and no suffix', () => {
    const directory = new Directory([
      provider('wide', { networks: ['203.0.112.0/22', '2001:db8::/32'], suffixes: ['113.7'] }),
      provider('narrow', { networks: ['203.0.113.0/24'] }),
    ]);
    assert.equal(directory.size, 4);
    assert.equal(directory.find('203.0.113.7')?.name, 'narrow');
    assert.equal(directory.find('203.0.113.7')?.range, '203.0.113.0/24');
    assert.equal(directory.find('203.0.112.7')?.name, 'wide');
    assert.equal(directory.find('2001:db8:1::7')?.range, '2001:db8::/32');
    assert.equal(directory.find('198.51.100.7'), undefined);
    assert.equal(new Directory([]).find('a.example'), undefined);
  });

  it('prefers the first provider with the same suffix', () => {
    const both = ['first', 'second'].map((one) => provider(one, { suffixes: ['ply.example'] }));
    assert.equal(new Directory(both).find('a.ply.example')?.name, 'first');
  });

  it('says how to reach the provider, as of the oldest fact', () => {
    const directory = new Directory([
      {
        ...provider('Ply', { suffixes: ['ply.example'] }),
        mail: fact('abuse@ply.example', '2025-12-01'),
        form: fact('https://ply.example/abuse', '2026-02-01'),
        feed: fact('https://rapsheet.example/feed/ply', '2020-01-01'),
      },
    ]);
    assert.deepEqual(directory.find('a.ply.example'), {
      source: 'directory',
      name: 'Ply',
      mail: 'abuse@ply.example',
      form: 'https://ply.example/abuse',
      suffix: 'ply.example',
      checkedAt: new Date('2025-12-01T00:00:00Z'),
    });
  });
});
