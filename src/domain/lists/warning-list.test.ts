import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseListEntry } from './list-entry.ts';
import type { ListKind } from './list-kind.ts';
import { EntryReader, MAX_ENTRIES, readWarningList } from './warning-list.ts';

const SHA256 = 'AB'.repeat(32);

const entryOf = (text: string, kind: ListKind = 'good') => {
  const parsed = parseListEntry(text, kind);
  return 'entry' in parsed ? parsed.entry : undefined;
};
const problemOf = (text: string, kind: ListKind = 'good') => {
  const parsed = parseListEntry(text, kind);
  return 'problem' in parsed ? parsed.problem : '';
};

describe('an entry of a list', () => {
  it('is read in its canonical form', () => {
    const forms = {
      'Example.COM': 'example.com',
      '=Ns.Example.com': '=ns.example.com',
      'bücher.example.com': 'xn--bcher-kva.example.com',
      '192.0.2.1': '192.0.2.1/32',
      '=192.0.2.1': '192.0.2.1/32',
      '192.0.2.0/24': '192.0.2.0/24',
      '2620:00FE::9': '2620:fe::9/128',
      '2620:fe::/48': '2620:fe::/48',
      [SHA256]: SHA256.toLowerCase(),
      [`=${SHA256}`]: SHA256.toLowerCase(),
      '224.0.0.0/4': '224.0.0.0/4',
      'fc00::/7': 'fc00::/7',
    };
    for (const [text, entry] of Object.entries(forms)) assert.equal(entryOf(text), entry, text);
  });

  it('is no public suffix, under which others register names', () => {
    for (const text of ['com', 'co.uk', 'github.io', '=com', 'compute.amazonaws.com'])
      assert.match(problemOf(text), /public suffix/, text);
    // These kinds are labels, so the domain of a hosting company may be one.
    assert.equal(entryOf('github.io', 'shared'), 'github.io');
    assert.match(problemOf('com', 'shared'), /public suffix/);
    assert.match(problemOf('github.io', 'sinkhole'), /public suffix/);
  });

  it('is no network with too many addresses, whatever the kind', () => {
    for (const text of ['0.0.0.0/0', '64.0.0.0/7', '::/0', '2000::/3', '2a00::/12', '224.0.0.0/3'])
      assert.match(problemOf(text, 'shared'), /too many addresses/, text);
  });

  it('is nothing else', () => {
    const texts = [
      '',
      ' ',
      'a b',
      'https://example.com/',
      '*.example.com',
      '1.2.3',
      'example..com',
    ];
    for (const text of texts) assert.match(problemOf(text), /no host name/, text);
    assert.match(problemOf('ab'.repeat(16)), /not a SHA-256/);
    assert.match(problemOf(`${'a.'.repeat(200)}com`), /longer than/);
  });
});

describe('a warning list', () => {
  const list = ['a.example.com'];

  it('is read by its type', () => {
    assert.deepEqual(readWarningList({ name: 'x', type: 'hostname', list }), {
      name: 'x',
      entries: list,
    });
    assert.deepEqual(readWarningList({ name: 'x', type: 'string', list }), {
      name: 'x',
      entries: ['=a.example.com'],
    });
  });

  it('of a type that cannot be compared for certain is refused by name', () => {
    for (const type of ['regex', 'substring']) {
      const read = readWarningList({ name: 'x', type, list });
      assert.match('problem' in read ? read.problem : '', new RegExp(`not ${type}: .+\\.$`));
    }
    assert.ok('problem' in readWarningList({ name: 'x', type: 'other', list }));
    assert.ok('problem' in readWarningList({ name: 'x', type: '__proto__', list }));
  });

  it('is refused if it is no list of texts', () => {
    const others = [
      null,
      [],
      'text',
      { type: 'string' },
      { type: 'string', list: {} },
      { type: 'string', list: ['a', 1] },
      { type: 'string', list: { length: 1 } },
      { type: 'string', list: new Array(MAX_ENTRIES + 1).fill('a') },
    ];
    for (const value of others) assert.ok('problem' in readWarningList(value));
  });
});

describe('the reader of entries', () => {
  it('counts those that it refuses and describes the first', () => {
    const reader = new EntryReader('good');
    const read = ['a.example.com', 'com', '.b.example.com', '=.c.example.com', 'x'.repeat(300)];
    assert.deepEqual(
      read.flatMap((text) => reader.read(text) ?? []),
      ['a.example.com', 'b.example.com', '=c.example.com'],
    );
    assert.equal(reader.refused, 2);
    assert.equal(
      reader.problem,
      'The entry "com" is a public suffix: others register names under it.',
    );
  });

  it('shows the beginning of a long entry', () => {
    const reader = new EntryReader('good');
    reader.read('x'.repeat(100_000));
    assert.ok((reader.problem?.length ?? 0) < 200);
  });

  it('refuses the networks with which a list covers a large part of all addresses', () => {
    const reader = new EntryReader('good');
    const networks = Array.from({ length: 200 }, (_, first) => `${first}.0.0.0/8`);
    assert.equal(networks.filter((network) => reader.read(network) !== undefined).length, 64);
    assert.match(reader.problem ?? '', /^The entry "64\.0\.0\.0\/8" makes the list cover more/);
    assert.equal(reader.read('a.example.com'), 'a.example.com');
    assert.equal(reader.read('2620:fe::/48'), '2620:fe::/48');
  });
});
