import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseAddress } from './ip-address.ts';
import {
  foldText,
  hasPart,
  hasWords,
  hostKey,
  isAddress,
  isInNetwork,
  MAX_SEARCH_LENGTH,
  onlyIdentifiers,
  parseSearchInput,
  reverseHost,
  type SearchInput,
  wordsOf,
  wordsOfNames,
} from './search-query.ts';

/** The fields that were recognised in the text, without the words. */
function read(text: string): Partial<SearchInput> | undefined {
  const sought = parseSearchInput(text);
  if (sought === undefined) return undefined;
  const { text: _, ...others } = sought;
  return Object.fromEntries(
    Object.entries(others).filter(([name, value]) => value !== undefined && name !== 'words'),
  );
}

describe('a text that is searched for', () => {
  for (const [digits, kinds] of [
    [32, ['md5']],
    [40, ['sha1']],
    [64, ['sha256', 'blake3']],
    [128, ['sha512']],
  ] as const) {
    it(`of ${digits} hexadecimal digits is a hash and nothing else`, () => {
      const sought = parseSearchInput('Ab'.repeat(digits / 2));
      assert.deepEqual(sought?.hash, { hex: 'ab'.repeat(digits / 2), kinds });
      assert.deepEqual(sought?.words, []);
      assert.equal(sought?.host, undefined);
    });
  }

  for (const digits of [8, 9, 33, 63, 65, 127])
    it(`of ${digits} hexadecimal digits is the start of a hash, or words`, () => {
      const start = 'ab'.repeat(64).slice(0, digits);
      const sought = parseSearchInput(start.toUpperCase());
      assert.equal(sought?.hash, undefined);
      assert.deepEqual(sought?.hashPart, { start, end: '' });
      assert.equal(sought?.words.length, 1);
    });

  for (const text of ['abababa', 'abababag', 'ab'.repeat(64).concat('a'), '…abababab', 'ab…ab'])
    it(`is no start of a hash: ${text}`, () =>
      assert.equal(parseSearchInput(text)?.hashPart, undefined));

  for (const text of ['ABABABAB…CDCDCDCD', 'abababab...cdcdcdcd'])
    it(`is a shortened hash and nothing else: ${text}`, () => {
      assert.deepEqual(read(text), { hashPart: { start: 'abababab', end: 'cdcdcdcd' } });
      assert.deepEqual(parseSearchInput(text)?.words, []);
    });

  it('is a shortened hash without an end', () => {
    assert.deepEqual(read('abababab…'), { hashPart: { start: 'abababab', end: '' } });
  });

  for (const [text, address, length] of [
    ['192.0.2.0/24', '192.0.2.0', 24],
    ['192[.]0[.]2[.]7/31', '192.0.2.7', 31],
    ['0.0.0.0/0', '0.0.0.0', 0],
    ['2001:DB8::/32', '2001:db8::', 32],
    ['[2001:db8::]/127', '2001:db8::', 127],
  ] as const)
    it(`is a network and nothing else: ${text}`, () => {
      assert.deepEqual(read(text), { network: { bytes: parseAddress(address), length } });
      assert.deepEqual(parseSearchInput(text)?.words, []);
    });

  it('is a host if it is a network of one address', () => {
    assert.deepEqual(read('192.0.2.7/32'), { host: '192.0.2.7' });
    assert.deepEqual(read('2001:DB8::7/128'), { host: '2001:db8::7' });
  });

  for (const text of ['192.0.2.0/33', '192.0.2.0/024', '192.0.2.0/', 'a.example/8', '2001::/129'])
    it(`is no network: ${text}`, () => assert.equal(parseSearchInput(text)?.network, undefined));

  for (const [text, host, port] of [
    ['Evil.Example:443', 'evil.example', 443],
    ['evil[.]example[:]443', 'evil.example', 443],
    ['203.0.113[.]7:8080', '203.0.113.7', 8080],
    ['[2001:db8::7]:1', '2001:db8::7', 1],
    ['hxxp://evil[.]example:8080/gate.php?x=1', 'evil.example', 8080],
    ['tcp://evil.example:1', 'evil.example', 1],
  ] as const) {
    it(`is an address with its port: ${text}`, () => {
      assert.deepEqual(read(text), { c2: { host, port }, host });
      assert.deepEqual(parseSearchInput(text)?.words, []);
    });
  }

  for (const [text, host, below] of [
    ['evil.example', 'evil.example', 'evil.example'],
    ['evil(.)example', 'evil.example', 'evil.example'],
    ['hxxps[:]//evil[.]example/a', 'evil.example', 'evil.example'],
    ['203.0.113.7', '203.0.113.7', undefined],
    ['2001:DB8:0::7', '2001:db8::7', undefined],
    ['[2001:db8::7]', '2001:db8::7', undefined],
    ['localhost', 'localhost', undefined],
  ] as const) {
    it(`is a host, and its subdomains if it has labels: ${text}`, () => {
      assert.deepEqual(read(text), below === undefined ? { host } : { host, below });
    });
  }

  for (const [text, below] of [
    ['*.Example.com', 'example.com'],
    ['.example.com', 'example.com'],
    ['*[.]example[.]com', 'example.com'],
    ['[dot]example', 'example'],
    ['.bücher.example', 'xn--bcher-kva.example'],
  ] as const) {
    it(`is the end of a host and nothing else: ${text}`, () => {
      assert.deepEqual(read(text), { below });
      assert.deepEqual(parseSearchInput(text)?.words, []);
    });
  }

  for (const text of ['*.', '.', '*.203.0.113.7', '.1', '*.a b', 'a:0', '*example.com'])
    it(`is words at most: ${text}`, () => assert.deepEqual(read(text), {}));

  it('is also split into words', () => {
    assert.deepEqual(parseSearchInput('  Dark LANTERN ')?.words, ['dark', 'lantern']);
    assert.equal(parseSearchInput('  Dark LANTERN ')?.text, 'Dark LANTERN');
    assert.deepEqual(parseSearchInput('lantern')?.words, ['lantern']);
    assert.equal(parseSearchInput('a b c d e f g h i j')?.words.length, 8);
  });

  it('may contain no word', () => {
    assert.deepEqual(parseSearchInput('!?')?.words, []);
  });

  for (const [text, why] of [
    ['', 'empty'],
    ['   ', 'blank'],
    ['a\0b', 'a control character'],
    ['a\n', 'a line end'],
    ['a\u202eb', 'a character that reverses the rest'],
    ['a\u200bb', 'a space of no width'],
    ['a\ud800', 'half a character'],
    ['a'.repeat(MAX_SEARCH_LENGTH + 1), 'too long'],
    ['\u{1f600}'.repeat(MAX_SEARCH_LENGTH + 1), 'too long in characters'],
  ] as const) {
    it(`is refused: ${why}`, () => assert.equal(parseSearchInput(text), undefined));
  }

  it('is taken up to its full length', () => {
    assert.notEqual(parseSearchInput('a'.repeat(MAX_SEARCH_LENGTH)), undefined);
    assert.notEqual(parseSearchInput('\u{1f600}'.repeat(MAX_SEARCH_LENGTH)), undefined);
  });

  it('is parsed or refused without an error, for any text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('[.]', '*.', '"', 'NEAR(', ' OR ', '^', ':', '://', '[dot]', '-', '{a b}:'),
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (written) => {
        const sought = parseSearchInput(written);
        for (const word of sought?.words ?? []) assert.match(word, /^[\p{L}\p{N}]+$/u);
        if (sought?.below !== undefined) assert.ok(!isAddress(sought.below));
      }),
      { seed: 4, numRuns: 500 },
    );
  });
});

describe('a line of a list', () => {
  const narrowed = (text: string) => {
    const input = parseSearchInput(text) ?? assert.fail(text);
    return onlyIdentifiers(input);
  };

  it('is not searched as words', () => {
    assert.equal(narrowed('dark lantern'), undefined);
    assert.deepEqual(narrowed('deadbeef')?.words, []);
    assert.deepEqual(narrowed('deadbeef')?.hashPart, { start: 'deadbeef', end: '' });
  });

  it('has subdomains only if they were asked for', () => {
    assert.equal(narrowed('evil.example')?.host, 'evil.example');
    assert.equal(narrowed('evil.example')?.below, undefined);
    assert.equal(narrowed('*.evil.example')?.below, 'evil.example');
  });

  it('is a hash, an address or a network as it is', () => {
    for (const text of ['ab'.repeat(16), 'hxxp://a[.]example:1/x', '192.0.2.0/24'])
      assert.deepEqual(narrowed(text), parseSearchInput(text));
  });
});

describe('a whole hash', () => {
  it('has a start and an end', () => {
    const hex = `${'ab'.repeat(31)}cd`;
    assert.ok(hasPart(hex, { start: 'abababab', end: 'cd' }));
    assert.ok(hasPart(hex, { start: 'abababab', end: '' }));
    assert.ok(!hasPart(hex, { start: 'abababac', end: 'cd' }));
    assert.ok(!hasPart(hex, { start: 'abababab', end: 'ab' }));
  });
});

describe('a host', () => {
  const network = { bytes: [192, 0, 2, 0], length: 24 };
  it('is in a network by its address', () => {
    assert.ok(isInNetwork('192.0.2.255', network));
    assert.ok(!isInNetwork('192.0.3.1', network));
    assert.ok(!isInNetwork('2001:db8::1', network));
    assert.ok(!isInNetwork('evil.example', network));
  });
});

describe('words', () => {
  it('are the same for ASCII text with and without other letters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 60 }), (text) => {
        // The other letter makes the whole text take the path of Unicode.
        const words = [...new Set([...wordsOf(text), 'é'.normalize('NFKD').charAt(0)])];
        assert.deepEqual(wordsOf(`${text} é`), words);
      }),
    );
  });

  it('are without case, accents and signs, each once', () => {
    assert.deepEqual(wordsOf('Rechnung_2026-März (RECHNUNG).pdf.exe'), [
      'rechnung',
      '2026',
      'marz',
      'pdf',
      'exe',
    ]);
    assert.deepEqual(wordsOf('ＦＵＬＬ ﬁle'), ['full', 'file']);
  });

  it('are limited in number and length', () => {
    assert.equal(wordsOf(Array.from({ length: 99 }, (_, at) => `w${at}`).join(' ')).length, 40);
    assert.deepEqual(wordsOf('x'.repeat(99)), ['x'.repeat(40)]);
  });

  it('of a name include the parts of a compound', () => {
    assert.deepEqual(wordsOfNames(['DarkLantern2', 'RAT']), [
      'darklantern2',
      'dark',
      'lantern',
      '2',
      'rat',
    ]);
  });

  it('are found whole or, from three characters on, by how they begin', () => {
    const words = wordsOfNames(['Dark Lantern 2']);
    assert.ok(hasWords(words, ['dark', 'lantern']));
    assert.ok(hasWords(words, ['lan', 'dar']));
    assert.ok(hasWords(words, ['2']));
    assert.ok(!hasWords(words, ['la']));
    assert.ok(!hasWords(words, ['lanterns']));
    assert.ok(!hasWords(words, ['dark', 'x']));
  });
});

describe('texts', () => {
  it('are equal if they differ only in case or in the encoding of accents', () => {
    assert.equal(foldText('LANTÉRN'), foldText('lante\u0301rn'));
    assert.notEqual(foldText('lantern'), foldText('lanterne'));
  });
});

describe('hosts', () => {
  it('start with their parent domain when they are reversed', () => {
    assert.equal(reverseHost('a.b.example.com'), 'com.example.b.a');
    assert.ok(reverseHost('a.example.com').startsWith(`${reverseHost('example.com')}.`));
    assert.equal(reverseHost('localhost'), 'localhost');
  });

  it('are addresses or names', () => {
    for (const host of ['203.0.113.7', '2001:db8::7']) assert.ok(isAddress(host));
    for (const host of ['evil.example', '7.example', '1.2.3.a4']) assert.ok(!isAddress(host));
  });
});

describe('the key of a host', () => {
  for (const [host, key] of [
    ['evil.example.com', 'com.example.evil'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
  ] as const)
    it(`is ${key} for ${host}`, () => assert.equal(hostKey(host), key));
});
