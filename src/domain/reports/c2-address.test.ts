import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always, codePoint } from '../../../test/always.ts';
import { c2AddressOf, formatC2Address, parseC2Address } from './c2-address.ts';

/** The canonical text of an address. */
function canonical(text: string): string | undefined {
  const address = parseC2Address(text);
  return address && formatC2Address(address);
}

const port = fc.integer({ min: 1, max: 65_535 });

const quad = fc.ipV4();

const NAME_SIGNS = [...'abcdefghijklmnopqrstuvwxyz0123456789_-'];
const label = fc.string({
  unit: fc.constantFrom(...NAME_SIGNS),
  minLength: 1,
  maxLength: 63,
  size: 'small',
});
const lastLabel = label.filter((text) => !/^(?:[0-9]+|0x[0-9a-f]*)$/.test(text));
const name = fc
  .tuple(fc.array(label, { maxLength: 4 }), lastLabel)
  .map(([labels, last]) => [...labels, last].join('.'))
  .filter((text) => text.length <= 253);

/** Letters of several scripts that have one upper-case form at most. */
const foreignName = fc
  .tuple(
    fc.string({
      unit: fc.constantFrom(...'äöüéñçøþčšžабвгдежзиклмнопрст日本語中文한국어αβγδ'),
      minLength: 1,
      maxLength: 12,
    }),
    name.filter((text) => text.length < 100 && !text.includes('xn--')),
  )
  .map(([foreign, rest]) => `${foreign}.${rest}`);

const groups = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), {
  minLength: 8,
  maxLength: 8,
});

/** RFC 5952: no leading zeros, lower case, the first of the longest runs of zeros as `::`. */
function writeIpv6(values: readonly number[]): string {
  const text = values.map((value) => value.toString(16)).join(':');
  const runs = [...text.matchAll(/(?:^|(?<=:))0(?::0)+(?=:|$)/g)];
  const longest = runs.reduce<RegExpExecArray | undefined>(
    (best, run) => (run[0].length > (best?.[0].length ?? 0) ? run : best),
    undefined,
  );
  if (longest === undefined) return text;
  const before = text.slice(0, longest.index).replace(/:$/, '');
  const after = text.slice(longest.index + longest[0].length).replace(/^:/, '');
  return `${before}::${after}`;
}

/** Other ways to write the same address. */
function spellIpv6(values: readonly number[]): string[] {
  const plain = values.map((value) => value.toString(16));
  const [high = 0, low = 0] = values.slice(6);
  const tail = [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return [
    plain.join(':'),
    plain.join(':').toUpperCase(),
    plain.map((group) => group.padStart(4, '0')).join(':'),
    `${plain.slice(0, 6).join(':')}:${tail}`,
    writeIpv6(values),
  ];
}

const address = fc
  .tuple(
    fc.oneof(
      quad,
      name,
      groups.map(writeIpv6).map((text) => `[${text}]`),
    ),
    port,
  )
  .map(([host, number]) => `${host}:${number}`);

describe('a C2 address', () => {
  it('keeps a dotted quad as it is', () => {
    always(
      fc.property(quad, port, (host, number) => {
        assert.deepEqual(parseC2Address(`${host}:${number}`), { host, port: number });
      }),
    );
  });

  it('keeps a name of letters, digits, hyphens and underscores in lower case', () => {
    always(
      fc.property(fc.mixedCase(name), port, (host, number) => {
        const expected = { host: host.toLowerCase(), port: number };
        assert.deepEqual(parseC2Address(`${host}:${number}`), expected);
      }),
    );
  });

  it('keeps an IPv6 address in its canonical form, however it was written', () => {
    always(
      fc.property(groups, port, (values, number) => {
        const expected = { host: writeIpv6(values), port: number };
        for (const text of spellIpv6(values))
          assert.deepEqual(parseC2Address(`[${text}]:${number}`), expected, text);
      }),
    );
  });

  it('takes every form of IPv6 address that RFC 3986 allows', () => {
    always(
      fc.property(fc.ipV6(), (text) => assert.notEqual(parseC2Address(`[${text}]:80`), undefined)),
    );
  });

  it('keeps a name of other letters as punycode', () => {
    always(
      fc.property(foreignName, port, (host, number) => {
        const ascii = new URL(`http://${host}/`).hostname;
        assert.deepEqual(parseC2Address(`${host}:${number}`), { host: ascii, port: number });
      }),
    );
  });

  it('ignores the case of letters of other scripts', () => {
    always(
      fc.property(foreignName, (host) => {
        assert.equal(canonical(`${host.toUpperCase()}:80`), canonical(`${host}:80`));
      }),
    );
  });

  it('lower-cases a Greek sigma as resolvers do, in any position', () => {
    assert.equal(canonical('gr.ΣΑΣ:80'), canonical('gr.σασ:80'));
  });

  it('is formatted as it is parsed', () => {
    always(
      fc.property(
        fc.oneof(
          address,
          foreignName.map((host) => `${host}:80`),
        ),
        (text) => {
          const once = canonical(text);
          assert.ok(once !== undefined, text);
          assert.equal(canonical(once), once);
          assert.deepEqual(parseC2Address(once), parseC2Address(text));
        },
      ),
    );
  });

  it('never accepts anything but a canonical address, for any input', () => {
    const anything = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.string({ unit: codePoint }).map((host) => `${host}:80`),
      fc
        .string({ unit: fc.constantFrom(...'ab01.:[](dot)%@*ｅ。\u200b- xn') })
        .map((s) => `${s}:80`),
    );
    always(
      fc.property(anything, (text) => {
        const kept = canonical(text);
        if (kept === undefined) return;
        assert.match(kept, /^(?:[a-z0-9._-]+|\[[0-9a-f:]+\]):[1-9][0-9]{0,4}$/);
        assert.equal(canonical(kept), kept);
      }),
    );
  });

  const spellings: readonly [text: string, kept: string][] = [
    ['EVIL.Example:80', 'evil.example:80'],
    ['localhost:80', 'localhost:80'],
    ['a_b.example:80', 'a_b.example:80'],
    ['_:1', '_:1'],
    ['bücher.example:80', 'xn--bcher-kva.example:80'],
    ['BÜCHER.example:65535', 'xn--bcher-kva.example:65535'],
    ['bu\u0308cher.example:80', 'xn--bcher-kva.example:80'],
    ['XN--BCHER-KVA.example:80', 'xn--bcher-kva.example:80'],
    ['xn--a.example:80', 'xn--a.example:80'],
    ['faß.example:80', 'xn--fa-hia.example:80'],
    ['日本語.テスト:80', 'xn--wgv71a119e.xn--zckzah:80'],
    ['10.0.0.1:80', '10.0.0.1:80'],
    ['0.0.0.0:1', '0.0.0.0:1'],
    ['[::1]:80', '[::1]:80'],
    ['[::]:80', '[::]:80'],
    ['[::ffff:1.2.3.4]:80', '[::ffff:102:304]:80'],
    ['[2001:DB8:0:0:1:0:0:1]:443', '[2001:db8::1:0:0:1]:443'],
    ['1.2.3.4.example:80', '1.2.3.4.example:80'],
    ['evil.1e:80', 'evil.1e:80'],
  ];
  for (const [text, kept] of spellings) {
    it(`keeps ${JSON.stringify(text)} as ${kept}`, () => assert.equal(canonical(text), kept));
  }

  it('takes a name of 253 characters and none longer', () => {
    const long = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`;
    assert.equal(canonical(`${long}:80`), `${long}:80`);
    assert.equal(canonical(`${long}e:80`), undefined);
  });

  it('takes a label of 63 characters and none longer', () => {
    assert.equal(canonical(`${'a'.repeat(63)}.example:80`), `${'a'.repeat(63)}.example:80`);
    assert.equal(canonical(`${'a'.repeat(64)}.example:80`), undefined);
  });

  it('measures a label of other letters by its punycode', () => {
    assert.notEqual(canonical(`${'ü'.repeat(40)}.example:80`), undefined);
    assert.equal(canonical(`${'ü'.repeat(70)}.example:80`), undefined);
  });

  it('rejects very long text without parsing it', () => {
    assert.equal(canonical(`${'a[dot]'.repeat(200)}example:80`), undefined);
  });
});

describe('a defanged C2 address', () => {
  const dot = fc.constantFrom('[.]', '(.)', '[dot]', '[DOT]', '.');
  const dotted = fc.tuple(fc.oneof(quad, name), port).map(([host, number]) => `${host}:${number}`);

  it('is parsed like the original address', () => {
    always(
      fc.property(dotted, fc.infiniteStream(dot), (text, dots) => {
        const defanged = text.replaceAll('.', () => dots.next().value);
        assert.deepEqual(parseC2Address(defanged), parseC2Address(text));
      }),
    );
  });

  it('may have its last colon defanged as well', () => {
    always(
      fc.property(address, (text) => {
        const defanged = text.replace(/:(?=\d+$)/, '[:]');
        assert.deepEqual(parseC2Address(defanged), parseC2Address(text));
      }),
    );
  });

  const refused = [
    'evil[.].example:80',
    'evil[[.]]example:80',
    'evil[.example:80',
    '[.]:80',
    '[:]80',
  ];
  for (const text of refused) {
    it(`is refused if refanging yields no address: ${text}`, () => {
      assert.equal(parseC2Address(text), undefined);
    });
  }
});

describe('the set of invalid C2 addresses', () => {
  function neverKept(texts: fc.Arbitrary<string>): void {
    always(fc.property(texts, (text) => assert.equal(canonical(text), undefined)));
  }

  /** A name or dotted quad with a character inserted at a random index. */
  function holding(signs: readonly string[]): fc.Arbitrary<string> {
    return fc
      .tuple(fc.oneof(name, quad), fc.constantFrom(...signs), fc.nat(), port)
      .map(([host, sign, at, number]) => {
        const index = at % (host.length + 1);
        return `${host.slice(0, index)}${sign}${host.slice(index)}:${number}`;
      });
  }

  it('includes a host that holds a space, a control character or NUL', () => {
    neverKept(holding([' ', '\t', '\n', '\r', '\0', '\x7f', '\x1b', '\u00a0', '\u3000', '\u2028']));
  });

  it('includes a host that holds a sign of URLs, shells or filters', () => {
    neverKept(holding([...'@/\\?#*,;"\'<>|^`{}!$&+=~()[]:%']));
  });

  it('includes a host that holds a percent escape', () => {
    neverKept(holding(['%2e', '%00', '%41', '%E3%80%82', '%']));
  });

  it('includes a host that holds an invisible or direction-changing sign', () => {
    neverKept(
      holding([
        '\u200b',
        '\u00ad',
        '\ufeff',
        '\u2060',
        '\ufe0f',
        '\u034f',
        '\u202e',
        '\u2066',
        '\u180e',
      ]),
    );
  });

  it('includes a host that holds a lone surrogate, or an unassigned or private code point', () => {
    neverKept(holding(['\ud800', '\udfff', '\u0378', '\ue000', '\u{10ffff}']));
  });

  it('includes a name that holds a dot of another script', () => {
    neverKept(holding(['。', '．', '｡', '․']));
  });

  it('includes an address whose letters or digits are look-alikes that fold into plain ones', () => {
    const lookalikes = [...'ａｚ０９＿－①²₃𝟏𝐚ⅷ㏒ﬁſ', '\u212a'];
    neverKept(holding(lookalikes));
  });

  it('includes a dotted quad with digits of another script', () => {
    const digits = fc.constantFrom('٠', '۰', '०', '０', '𝟎', '᠐');
    neverKept(
      fc.tuple(quad, digits, fc.nat(), port).map(([host, zero, at, number]) => {
        const matches = [...host.matchAll(/\d/g)];
        const match = matches[at % matches.length] as RegExpExecArray;
        const digit = String.fromCodePoint((zero.codePointAt(0) as number) + Number(match[0]));
        return `${host.slice(0, match.index)}${digit}${host.slice(match.index + 1)}:${number}`;
      }),
    );
  });

  it('includes a dotted quad with a leading zero', () => {
    neverKept(
      fc
        .tuple(quad, fc.nat({ max: 3 }), fc.constantFrom('0', '00'), port)
        .map(([host, at, zeros, number]) => {
          const octets = host.split('.');
          octets[at] = `${zeros}${octets[at]}`;
          return `${octets.join('.')}:${number}`;
        }),
    );
  });

  it('includes a dotted quad with an octet over 255', () => {
    neverKept(
      fc
        .tuple(quad, fc.nat({ max: 3 }), fc.integer({ min: 256, max: 99_999 }), port)
        .map(
          ([host, at, octet, number]) =>
            `${host.split('.').with(at, String(octet)).join('.')}:${number}`,
        ),
    );
  });

  it('includes numbers in any other count, and in hexadecimal or octal', () => {
    const number = fc.oneof(
      fc.nat().map(String),
      fc.nat().map((value) => `0x${value.toString(16)}`),
      fc.nat().map((value) => `0X${value.toString(16)}`),
      fc.nat().map((value) => `0${value.toString(8)}`),
      fc.constant('0x'),
    );
    neverKept(
      fc
        .array(number, { minLength: 1, maxLength: 6 })
        .map((numbers) => numbers.join('.'))
        .filter((host) => !/^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/.test(host))
        .map((host) => `${host}:80`),
    );
  });

  it('includes a port other than 1 to 65535 in plain digits', () => {
    const bad = fc.oneof(
      fc.constantFrom(
        '',
        '0',
        '00',
        '+80',
        '-80',
        ' 80',
        '80 ',
        '80.0',
        '8e1',
        '0x50',
        '８０',
        '٨٠',
        '80\n',
        '80/',
        'http',
      ),
      fc.integer({ min: 65_536 }).map(String),
      port.map((number) => `0${number}`),
    );
    neverKept(fc.tuple(fc.oneof(quad, name), bad).map(([host, text]) => `${host}:${text}`));
  });

  it('includes a host without a port', () => {
    neverKept(
      fc.oneof(
        quad,
        name,
        groups.map((values) => `[${writeIpv6(values)}]`),
      ),
    );
  });

  it('includes a wildcard, a trailing, a leading and a doubled dot', () => {
    neverKept(
      fc
        .tuple(
          fc.oneof(name, quad),
          fc.constantFrom(
            (host: string) => `*.${host}`,
            (host: string) => `${host}.`,
            (host: string) => `.${host}`,
            (host: string) => `${host}..${host}`,
          ),
        )
        .map(([host, spoil]) => `${spoil(host)}:80`),
    );
  });

  it('includes an address with a scheme, a user, a path, a query or a fragment', () => {
    neverKept(
      fc
        .tuple(
          address,
          fc.constantFrom(
            (text: string) => `http://${text}`,
            (text: string) => `//${text}`,
            (text: string) => `user@${text}`,
            (text: string) => `user:secret@${text}`,
            (text: string) => `${text}/`,
            (text: string) => `${text}/gate.php`,
            (text: string) => `${text}?x=1`,
            (text: string) => `${text}#x`,
            (text: string) => `${text}:80`,
            (text: string) => ` ${text}`,
            (text: string) => `${text} `,
            (text: string) => `${text}\n`,
          ),
        )
        .map(([text, spoil]) => spoil(text)),
    );
  });

  it('includes an IPv6 address with a zone, without brackets or with half of them', () => {
    neverKept(
      fc
        .tuple(
          groups.map(writeIpv6),
          fc.constantFrom(
            (host: string) => `[${host}%eth0]`,
            (host: string) => `[${host}%25eth0]`,
            (host: string) => host,
            (host: string) => `[${host}`,
            (host: string) => `${host}]`,
            (host: string) => `[[${host}]]`,
            (host: string) => `[ ${host}]`,
            (host: string) => `x[${host}]`,
            (host: string) => `[${host}]x`,
          ),
        )
        .map(([host, spoil]) => `${spoil(host)}:80`),
    );
  });

  const refused = [
    '',
    ':',
    ':80',
    'evil.example',
    'evil..example:80',
    'evil.example.:80',
    '*.evil.example:80',
    '１２７.0.0.1:80',
    '1.2.3:80',
    '1.2.3.4.5:80',
    '0x7f.1:80',
    '2130706433:80',
    'evil.٣:80',
    'evil.१२:80',
    '::1:80',
    '[]:80',
    '[1.2.3.4]:80',
    '[evil.example]:80',
    '[v1.a]:80',
    '[::1::]:80',
    '[1:2:3:4:5:6:7:8:9]:80',
    '[::01.2.3.4]:80',
    '[12345::]:80',
    '\u0301a.example:80',
    'xn--ü.example:80',
  ];
  for (const text of refused) {
    it(`includes ${JSON.stringify(text)}`, () => assert.equal(parseC2Address(text), undefined));
  }
});

describe('a separate host and port', () => {
  const accepted: readonly (readonly [host: string, port: number, canonical: string])[] = [
    ['Evil.Example', 4444, 'evil.example'],
    ['192.0.2.7', 1, '192.0.2.7'],
    ['2001:DB8::7', 65_535, '2001:db8::7'],
    ['[2001:db8:0:0::7]', 80, '2001:db8::7'],
    ['bücher.example', 443, 'xn--bcher-kva.example'],
  ];
  for (const [host, port, canonical] of accepted) {
    it(`are an address: ${host}, ${port}`, () =>
      assert.deepEqual(c2AddressOf(host, port), { host: canonical, port }));
  }

  const refused: readonly (readonly [host: string, port: number])[] = [
    ['', 80],
    ['evil.example', 0],
    ['evil.example', 65_536],
    ['evil.example', 80.5],
    ['evil.example', Number.NaN],
    ['evil.example:81', 80],
    ['evil[.]example', 80],
    ['1.2.3', 80],
    ['%Hosts%', 80],
    ['evil.example/gate', 80],
    ['a'.repeat(100_000), 80],
  ];
  for (const [host, port] of refused) {
    it(`are none: ${host.slice(0, 20)}, ${port}`, () =>
      assert.equal(c2AddressOf(host, port), undefined));
  }
});
