import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isRefusedHost, keysAbove, keysOfHost, patternsOf, prefixOfKey } from './route.ts';

const namesOf = (found: ReturnType<typeof keysOfHost>) =>
  found.kind === 'names' ? found.keys : assert.fail('not a name');
const networkOf = (found: ReturnType<typeof keysOfHost>) =>
  found.kind === 'network' ? found : assert.fail('not a network');
const keyOf = (hosts: readonly string[], networks: readonly string[] = []) =>
  patternsOf({ hosts, networks })[0]?.key ?? assert.fail('no key');

describe('the keys of a host', () => {
  it('are the name itself, then ever shorter wildcards', () => {
    assert.deepEqual(namesOf(keysOfHost('a.b.ply.example')), [
      'example.ply.b.a',
      'example.ply.b.*',
      'example.ply.*',
      'example.*',
    ]);
    assert.deepEqual(namesOf(keysOfHost('localhost')), ['localhost']);
  });

  it('leave out the public suffixes of registries', () => {
    assert.deepEqual(namesOf(keysOfHost('a.ply.co.uk')), ['uk.co.ply.a', 'uk.co.ply.*']);
    assert.deepEqual(namesOf(keysOfHost('co.uk')), []);
    assert.deepEqual(namesOf(keysOfHost('com')), []);
    // All names below ck are suffixes, but www.ck.
    assert.deepEqual(namesOf(keysOfHost('a.b.ck')), ['ck.b.a']);
    assert.deepEqual(namesOf(keysOfHost('b.ck')), []);
    assert.deepEqual(namesOf(keysOfHost('a.www.ck')), ['ck.www.a', 'ck.www.*']);
    // In the private section, where services list their own domains.
    assert.deepEqual(namesOf(keysOfHost('a.github.io')), ['io.github.a', 'io.github.*']);
  });

  it('are the bits of an address', () => {
    const bits = '11001011000000000111000111111111';
    assert.deepEqual(keysOfHost('203.0.113.255'), {
      kind: 'network',
      version: 4,
      key: `4/${bits}`,
    });
    const { version, key } = networkOf(keysOfHost('2001:db8::1'));
    assert.equal(version, 6);
    assert.match(key, /^6\/00100000000000010000110110111000[01]+1$/);
    assert.deepEqual(prefixOfKey(key), { version: 6, length: 128 });
  });
});

describe('the keys of a service', () => {
  it('are among those of every host that a pattern matches', () => {
    const has = (host: string, key: string) => {
      const found = keysOfHost(host);
      return found.kind === 'names' ? found.keys.includes(key) : found.key.startsWith(key);
    };
    const [apex, below] = [keyOf(['ply.example']), keyOf(['*.ply.example'])];
    assert.ok(has('ply.example', apex) && !has('a.ply.example', apex));
    assert.ok(has('a.ply.example', below) && has('b.a.ply.example', below));
    assert.ok(!has('ply.example', below) && !has('aply.example', below));
    const address = keyOf(['203.0.113.7']);
    assert.ok(has('203.0.113.7', address) && !has('203.0.113.8', address));
    const network = keyOf([], ['203.0.113.9/28']);
    assert.ok(has('203.0.113.15', network) && !has('203.0.113.16', network));
    const ipv6 = keyOf([], ['2001:db8::/33']);
    assert.ok(has('2001:db8:7fff::1', ipv6) && !has('2001:db8:8000::1', ipv6));
    assert.equal(prefixOfKey(apex), undefined);
    assert.deepEqual(prefixOfKey(network), { version: 4, length: 28 });
  });

  it('are one for patterns that mean the same', () => {
    const networks = ['203.0.113.9/24', '203.0.113.0/24', '203.0.113.7/32'];
    const hosts = ['a.example', 'a.example', '203.0.113.7'];
    assert.deepEqual(
      patternsOf({ hosts, networks }).map(({ pattern }) => pattern),
      ['203.0.113.0/24', '203.0.113.7', 'a.example'],
    );
  });
});

describe('the keys above a pattern', () => {
  it('are its own and those of wider wildcards', () => {
    const above = (pattern: string) => namesOf(keysAbove(keyOf([pattern])));
    assert.deepEqual(above('a.ply.example'), ['example.ply.a', 'example.ply.*', 'example.*']);
    assert.deepEqual(above('*.ply.example'), ['example.ply.*', 'example.*']);
    assert.deepEqual(above('*.example'), ['example.*']);
    assert.deepEqual(above('example'), ['example']);
  });

  it('are the prefixes of a network', () => {
    const key = keyOf([], ['203.0.113.0/24']);
    assert.deepEqual(keysAbove(key), { kind: 'network', version: 4, key });
  });
});

describe('a host that no service can declare', () => {
  it('is a public suffix of a registry, with or without its subdomains', () => {
    const refused = ['com', '*.com', '*.co.uk', 'ck', '*.b.ck', '*.kawasaki.jp', '*.xn--p1ai'];
    for (const pattern of refused) assert.equal(isRefusedHost(pattern), true, pattern);
  });

  it('is no registered name, no private suffix, no unlisted top level and no address', () => {
    const allowed = [
      'ply.com',
      '*.ply.co.uk',
      'www.ck',
      '*.city.kawasaki.jp',
      '*.github.io',
      '*.ply.example',
      '*.example',
      'localhost',
      '203.0.113.7',
    ];
    for (const pattern of allowed) assert.equal(isRefusedHost(pattern), false, pattern);
  });

  it('has no key among those of any host', () => {
    const labels = ['a', 'www', 'ply', 'city', 'kawasaki', 'co', 'github', 'platform'];
    const tops = ['uk', 'jp', 'ck', 'com', 'io', 'example', 'er', 'np'];
    const name = fc
      .tuple(fc.array(fc.constantFrom(...labels), { maxLength: 4 }), fc.constantFrom(...tops))
      .map(([below, top]) => [...below, top].join('.'));
    fc.assert(
      fc.property(name, (host) => {
        const parents = host.split('.').map((_, index, all) => all.slice(index).join('.'));
        const patterns = [host, ...parents.slice(1).map((parent) => `*.${parent}`)];
        const routing = patterns.filter((pattern) => !isRefusedHost(pattern));
        assert.deepEqual(
          namesOf(keysOfHost(host)),
          routing.map((pattern) => keyOf([pattern])),
        );
      }),
      { numRuns: 1000 },
    );
  });
});
