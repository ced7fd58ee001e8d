import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always } from '../../../test/always.ts';
import {
  DEFAULT_CONFIDENCE_SCALE,
  defaultConfidence,
  parseHostPattern,
  parseNetwork,
  parseNewServiceSlug,
  parseServiceSlug,
} from './service.ts';

describe('the name of a service', () => {
  it('is of lower-case letters, digits and hyphens', () => {
    always(
      fc.property(fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,62}$/), (text) => {
        assert.equal(parseServiceSlug(text), text === 'all' ? undefined : text);
      }),
    );
  });

  it('is nothing else', () => {
    const wrong = ['', '-a', 'A', 'Ply', 'a_b', 'a.b', 'a b', 'ply\n', 'é', 'a/b', '__proto__'];
    for (const text of wrong) assert.equal(parseServiceSlug(text), undefined, text);
  });

  it('is at most 63 characters long', () => {
    assert.equal(parseServiceSlug('a'.repeat(63)), 'a'.repeat(63));
    assert.equal(parseServiceSlug('a'.repeat(64)), undefined);
  });

  it('is not "all", which means every feed', () => {
    assert.equal(parseServiceSlug('all'), undefined);
    assert.equal(parseServiceSlug('all-of-it'), 'all-of-it');
  });
});

describe('the name of a new service', () => {
  it('is not that of the built-in one, in any spelling', () => {
    const wrong = [
      'unclaimed',
      'Unclaimed',
      'UNCLAIMED',
      ' unclaimed',
      'unclaimed ',
      'unclaimed\n',
    ];
    for (const text of [...wrong, 'all', 'unclaimed.', 'unclaimed/', 'unclaimed\u200b'])
      assert.equal(parseNewServiceSlug(text), undefined, JSON.stringify(text));
    assert.equal(parseNewServiceSlug('ply'), 'ply');
  });
});

describe('a host pattern', () => {
  it('is a name, or everything below one', () => {
    for (const text of ['ply.example', '*.ply.example', 'localhost', '*.a_b.xn--bcher-kva'])
      assert.equal(parseHostPattern(text), text);
  });

  it('is kept in lower case', () => {
    assert.equal(parseHostPattern('*.Ply.EXAMPLE'), '*.ply.example');
  });

  it('has no star elsewhere, no empty label and no other sign', () => {
    const wrong = [
      '',
      '*',
      '*.',
      '*.*.a',
      'a.*.b',
      'a*',
      '.a',
      'a.',
      'a..b',
      'a b',
      'ü.example',
      'a:80',
    ];
    for (const text of wrong) assert.equal(parseHostPattern(text), undefined, text);
  });

  it('has no sign that only becomes a letter when it is lower-cased', () => {
    assert.equal(parseHostPattern('\u212aelvin.example'), undefined);
  });

  it('is at most 253 characters long, a label at most 63', () => {
    const long = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`;
    assert.equal(parseHostPattern(long), long);
    assert.equal(parseHostPattern(`${long}e`), undefined);
    assert.equal(parseHostPattern('a'.repeat(64)), undefined);
  });
});

describe('a network', () => {
  it('of IPv4 is an address and up to 32 bits', () => {
    always(
      fc.property(fc.ipV4(), fc.nat({ max: 40 }), (address, bits) => {
        const text = `${address}/${bits}`;
        assert.equal(parseNetwork(text), bits <= 32 ? text : undefined);
      }),
    );
  });

  it('of IPv6 is an address, kept in its canonical form, and up to 128 bits', () => {
    always(
      fc.property(fc.ipV6(), fc.nat({ max: 150 }), (address, bits) => {
        const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
        const expected = bits <= 128 ? `${canonical}/${bits}` : undefined;
        assert.equal(parseNetwork(`${address}/${bits}`), expected);
      }),
    );
  });

  const wrong = [
    '',
    '/',
    '203.0.113.0',
    '203.0.113.0/',
    '203.0.113.0/024',
    '203.0.113.0/+24',
    '203.0.113.0/24/24',
    '203.0.113/24',
    '203.0.113.256/24',
    '203.0.113.00/24',
    '203.0.113.0.0/24',
    '203.0.113.0/255.255.255.0',
    '::1',
    '1::2::3/64',
    '::1%eth0/64',
    '[::1]/64',
    'example/24',
    'fe80/10',
  ];
  for (const text of wrong) {
    it(`is not ${JSON.stringify(text)}`, () => assert.equal(parseNetwork(text), undefined));
  }
});

describe('the confidence of a report that states none', () => {
  it('is half of the scale', () => {
    assert.equal(defaultConfidence(DEFAULT_CONFIDENCE_SCALE), 50);
    assert.equal(defaultConfidence(10), 5);
  });

  it('is a whole number on any scale', () => {
    assert.equal(defaultConfidence(5), 2);
    assert.equal(defaultConfidence(1), 0);
  });
});
