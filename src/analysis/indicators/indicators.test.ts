import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordFindings } from '../../../test/analysis/findings.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { Subject } from '../subject.ts';
import { findIndicators } from './indicators.ts';
import { indicatorTags } from './sink.ts';

function find(content: string | Buffer) {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(content, 'latin1');
  const findings = recordFindings();
  findIndicators(new Subject(bytes, 'sample'), findings);
  return findings;
}

/** The findings without offsets. */
function valuesIn(content: string | Buffer): string[] {
  return find(content).indicators.map(({ kind, value }) => `${kind} ${value}`);
}

function tagsIn(content: string | Buffer): string[] {
  return [...find(content).tags.keys()].sort();
}

// Invented tokens with the right number of characters.
const WEBHOOK = `https://discord.com/api/webhooks/123456789012345678/${'aB3_'.repeat(17)}`;
const BOT_TOKEN = `1234567890:AA${'Zx9-_'.repeat(6)}abc`;

describe('URLs', () => {
  it('are found with their offset, in narrow and in wide text', () => {
    const narrow = Buffer.from('\0\0\x01see http://one.example.invalid/a?b=c#d now');
    assert.deepEqual(find(narrow).indicators, [
      { kind: 'url', value: 'http://one.example.invalid/a?b=c#d', offset: 7 },
    ]);
    const wide = Buffer.concat([
      Buffer.alloc(3, 1),
      Buffer.from('x http://two.example.invalid', 'utf16le'),
    ]);
    assert.deepEqual(find(wide).indicators, [
      { kind: 'url', value: 'http://two.example.invalid', offset: 7 },
    ]);
  });

  it('are found for each scheme that C2 traffic uses', () => {
    for (const scheme of ['http', 'https', 'HTTP', 'ftp', 'tcp', 'udp', 'ws', 'wss']) {
      const url = `${scheme}://host.example.invalid:8080/x`;
      assert.deepEqual(valuesIn(url), [`url ${url}`]);
    }
  });

  it('end where the sentence or the quotation continues', () => {
    for (const text of [
      '(http://a.example.invalid/x).',
      "'http://a.example.invalid/x'",
      '<http://a.example.invalid/x>,',
    ]) {
      assert.deepEqual(valuesIn(text), ['url http://a.example.invalid/x'], text);
    }
  });

  it('are found in strings that are stored back to back', () => {
    assert.deepEqual(valuesIn('abchttp://a.example.invalid/'), ['url http://a.example.invalid/']);
    assert.deepEqual(valuesIn('sftp://a.example.invalid/ news://a.example.invalid/'), []);
  });

  it('are rejected with a template, a single label or a damaged host', () => {
    for (const text of [
      'http://%s/gate.php',
      'http://localhost/',
      'http://-',
      'http://a..b/',
      'http://x.1/',
      '://a.example.invalid',
    ]) {
      assert.deepEqual(valuesIn(text), [], text);
    }
  });

  it('of namespaces, schemas and certificate authorities are dropped', () => {
    const harmless = `http://www.w3.org/2001/XMLSchema http://schemas.microsoft.com/winfx http://ocsp.digicert.com
      http://crl.verisign.com/pca3.crl https://go.microsoft.com/fwlink`;
    assert.deepEqual(valuesIn(harmless), []);
    assert.deepEqual(valuesIn('http://microsoft.com.example.invalid/'), [
      'url http://microsoft.com.example.invalid/',
    ]);
  });

  it('with a public IPv4 address have a tag; with a private one they have none', () => {
    assert.deepEqual(tagsIn('http://203.0.113.9/bins.sh'), ['IP_URL']);
    assert.deepEqual(find('http://192.168.1.7/x').tags.size, 0);
    assert.deepEqual(valuesIn('http://192.168.1.7/x'), ['url http://192.168.1.7/x']);
    assert.deepEqual(valuesIn('http://127.0.0.1:8080/ http://0.0.0.0/ http://239.1.2.3/'), []);
  });

  it('are reported once, and cut if they are too long', () => {
    assert.equal(valuesIn('http://a.example.invalid/ http://a.example.invalid/').length, 1);
    const [long = ''] = valuesIn(`http://a.example.invalid/${'x'.repeat(9000)}`);
    assert.equal(long.length, 'url '.length + 2048);
  });
});

describe('services', () => {
  const cases: readonly [string, string, string][] = [
    [WEBHOOK, 'DISCORD_WEBHOOK', `discord-webhook ${WEBHOOK}`],
    [
      'discordapp.com/api/webhooks/123456789012345678/abc',
      'DISCORD_WEBHOOK',
      'discord-webhook discordapp.com/api/webhooks/123456789012345678/abc',
    ],
    ['https://pastebin.com/raw/abcdefgh', 'PASTE_SERVICE', 'url https://pastebin.com/raw/abcdefgh'],
    ['0.tcp.eu.ngrok.io', 'TUNNEL_SERVICE', 'host 0.tcp.eu.ngrok.io'],
    ['my-box.at.ply.gg', 'TUNNEL_SERVICE', 'host my-box.at.ply.gg'],
    [
      'https://raw.githubusercontent.com/a/b/main/c.exe',
      'FILE_HOST_DOWNLOAD',
      'url https://raw.githubusercontent.com/a/b/main/c.exe',
    ],
    [
      'https://cdn.discordapp.com/attachments/1/2/x.exe',
      'FILE_HOST_DOWNLOAD',
      'url https://cdn.discordapp.com/attachments/1/2/x.exe',
    ],
    ['somebody.duckdns.org', 'DYNAMIC_DNS', 'host somebody.duckdns.org'],
    ['http://ip-api.com/json', 'IP_LOOKUP_SERVICE', 'url http://ip-api.com/json'],
    ['https://t.me/somechannel', 'DEAD_DROP_PROFILE', 'url https://t.me/somechannel'],
    [
      `http://${'abcdefg2'.repeat(7)}.onion/pay`,
      'ONION_ADDRESS',
      `onion http://${'abcdefg2'.repeat(7)}.onion/pay`,
    ],
    [`${'abcdefg2'.repeat(2)}.onion`, 'ONION_ADDRESS', `onion ${'abcdefg2'.repeat(2)}.onion`],
    ['smtp.mail.example.invalid', 'SMTP_SERVER', 'host smtp.mail.example.invalid'],
  ];
  for (const [text, tag, value] of cases) {
    it(`have the tag ${tag} for ${text.slice(0, 60)}`, () => {
      assert.deepEqual(tagsIn(`x ${text} y`), [tag]);
      assert.deepEqual(valuesIn(`x ${text} y`), [value]);
      assert.deepEqual(tagsIn(Buffer.from(text, 'utf16le')), [tag]);
    });
  }

  it('are not recognised by similar names', () => {
    assert.deepEqual(
      tagsIn('notpastebin.com pastebin.com.example.invalid duckdns.orgx short.onion it.me'),
      [],
    );
    assert.deepEqual(tagsIn('https://discord.com/invite/abc https://github.com/a/b'), []);
  });

  it('are named in the evidence, without credentials', () => {
    const { tags } = find(WEBHOOK);
    assert.deepEqual(tags.get('DISCORD_WEBHOOK'), { offset: 0, note: 'discord.com' });
  });
});

describe('Telegram bots', () => {
  it('are found by their URL, with token and chat', () => {
    const url = `https://api.telegram.org/bot${BOT_TOKEN}/sendMessage?chat_id=-1001234567890&text=`;
    assert.deepEqual(tagsIn(url), ['TELEGRAM_BOT']);
    assert.deepEqual(valuesIn(url), [
      `telegram-token ${BOT_TOKEN}`,
      'telegram-chat -1001234567890',
      `url ${url}`,
    ]);
  });

  it('are found by a token alone', () => {
    assert.deepEqual(valuesIn(`"${BOT_TOKEN}"`), [`telegram-token ${BOT_TOKEN}`]);
    assert.deepEqual(valuesIn(`?chat_id=123456789&text=hello`), ['telegram-chat 123456789']);
  });

  it('are not found in numbers and words of another shape', () => {
    for (const text of [
      `1234567:${BOT_TOKEN.slice(11)}`,
      BOT_TOKEN.slice(0, -1),
      `${BOT_TOKEN}x`,
      BOT_TOKEN.replace(':AA', ':BB'),
    ]) {
      assert.deepEqual(valuesIn(text), [], text);
    }
  });
});

describe('addresses', () => {
  it('are IPv4 addresses with a port', () => {
    assert.deepEqual(find('c2=203.0.113.9:4444;').indicators, [
      { kind: 'address', value: '203.0.113.9:4444', offset: 3 },
    ]);
    assert.deepEqual(tagsIn('203.0.113.9:4444'), ['HARDCODED_ADDRESS']);
    assert.deepEqual(tagsIn('10.0.0.5:4444'), []);
    assert.deepEqual(valuesIn('10.0.0.5:4444'), ['address 10.0.0.5:4444']);
  });

  it('are names with a port', () => {
    assert.deepEqual(valuesIn('c2.example.invalid:8808'), ['address c2.example.invalid:8808']);
    assert.deepEqual(tagsIn('evil.ddns.net:1604'), ['DYNAMIC_DNS']);
    assert.deepEqual(valuesIn('evil.ddns.net:1604'), ['address evil.ddns.net:1604']);
  });

  it('are not versions, times, lines of source files or wrong ports', () => {
    const others = `1.2.3.4 4.0.30319.0 2.5.4.3:10 main.cc:120 lib.rs:88 foo.py:31 12.30:45 a.example.invalid:0
      a.example.invalid:70000 203.0.113.9:123456 256.1.1.1:80 127.0.0.1:8080 system.text:4444 203.0.113.9:80a 01.2.3.4:99`;
    assert.deepEqual(valuesIn(others), []);
  });

  it('are reported without a port if they are the whole string and no version', () => {
    assert.deepEqual(valuesIn('\x01203.0.113.77\x01'), ['host 203.0.113.77']);
    assert.deepEqual(
      valuesIn('\x0110.0.19.1\x01\x016.0.30.2\x01\x0120.1.2.3\x01see 203.0.113.77'),
      [],
    );
  });
});

describe('e-mail addresses', () => {
  it('are reported without a tag', () => {
    assert.deepEqual(valuesIn('to: drop-box@mail.example.invalid.'), [
      'email drop-box@mail.example.invalid',
    ]);
    assert.equal(find('drop-box@mail.example.invalid').tags.size, 0);
  });

  it('are dropped if they are harmless or too short', () => {
    assert.deepEqual(valuesIn('bug-report@gnu.org a@b.cn x@y user@host abc@def.txt @@@@'), []);
  });
});

describe('wallets', () => {
  // Published examples: the first block's, and those of BIP 173 and BIP 350.
  const good = [
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    '3P14159f73E4gFr7JterCCQh9QjiTjiZrG',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
  ];

  it('are reported if their checksum is correct', () => {
    for (const wallet of good) {
      assert.deepEqual(valuesIn(`pay ${wallet} now`), [`wallet ${wallet}`]);
      assert.deepEqual(tagsIn(wallet), ['CRYPTO_WALLET']);
    }
  });

  it('are not reported with any character changed', () => {
    for (const wallet of good) {
      const last = wallet.at(-1) === 'q' ? 'p' : 'q';
      assert.deepEqual(valuesIn(wallet.slice(0, -1) + last), [], wallet);
      assert.deepEqual(valuesIn(`${wallet.slice(0, 9)}4${wallet.slice(10)}`), [], wallet);
    }
  });

  it('of Ethereum need a related word or another wallet near them', () => {
    const address = '0x52908400098527886E0F7030069857D2E4169EE7';
    assert.deepEqual(valuesIn(`commit ${address}`), []);
    assert.deepEqual(valuesIn(`eth: ${address}`), [`wallet ${address}`]);
    assert.deepEqual(valuesIn(`${good[0]}\n${address}`), [
      `wallet ${good[0]}`,
      `wallet ${address}`,
    ]);
    assert.deepEqual(valuesIn(`eth: 0x${'0'.repeat(40)}`), []);
  });
});

describe('encoded URLs', () => {
  const url = 'http://gate.example.invalid/drop.php';
  const secure = 'https://gate.example.invalid/drop.php';

  it('are found in base64 at any alignment', () => {
    for (const [before, one] of ['', 'x', 'xy', 'xyz'].flatMap(
      (text) =>
        [
          [text, url],
          [text, secure],
        ] as const,
    )) {
      const found = find(`k="${Buffer.from(`${before}${one} `).toString('base64')}"`);
      assert.deepEqual(
        found.indicators.map(({ value }) => value),
        [one],
        before,
      );
      assert.equal(found.tags.get('ENCODED_URL')?.note, 'in base64');
    }
  });

  it('are found in base64 of UTF-16, as PowerShell uses it', () => {
    for (const before of ['', 'x', 'xy', 'iex ']) {
      for (const one of [url, secure]) {
        const text = Buffer.from(`${before}${one}'`, 'utf16le').toString('base64');
        assert.deepEqual(valuesIn(`-enc ${text}`), [`url ${one}`], before);
        assert.deepEqual(tagsIn(Buffer.from(text, 'utf16le')), ['ENCODED_URL']);
      }
    }
  });

  it('are found reversed and in hexadecimal digits', () => {
    assert.deepEqual(valuesIn(`"${[...secure].reverse().join('')}"`), [`url ${secure}`]);
    assert.deepEqual(tagsIn(`"${[...url].reverse().join('')}"`), ['ENCODED_URL']);
    assert.deepEqual(valuesIn(Buffer.from(url).toString('hex')), [`url ${url}`]);
  });

  it('are reported with their encoding', () => {
    assert.deepEqual(tagsIn(Buffer.from(WEBHOOK).toString('base64')), [
      'DISCORD_WEBHOOK',
      'ENCODED_URL',
    ]);
  });

  it('are ignored without a host', () => {
    for (const text of ['http://', 'http://%s', 'https://\x01\x02', 'http:x']) {
      assert.deepEqual(tagsIn(Buffer.from(`${text}        `).toString('base64')), [], text);
    }
  });
});

describe('user agents', () => {
  it('are reported with their text', () => {
    const agent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Gecko/20100101';
    assert.deepEqual(find(`UA: ${agent}`).tags.get('USER_AGENT'), { offset: 4, note: agent });
    assert.deepEqual(tagsIn('Mozilla Mozilla/ Mozilla/1.0 (x)'), []);
  });
});

describe('the search for indicators', () => {
  it('reserves space for tagged indicators among any number of harmless links', () => {
    const links = Array.from({ length: 500 }, (_, index) => `http://n${index}.example.invalid/`);
    const found = find(`${links.join('\n')}\n${WEBHOOK}`);
    assert.equal(found.indicators.length, 121);
    assert.equal(found.tags.has('DISCORD_WEBHOOK'), true);
    assert.deepEqual(found.limits, ['indicators: more than 120']);
  });

  it('reports at most two hundred, and the limit', () => {
    const links = Array.from(
      { length: 500 },
      (_, index) => `http://n${index}.example.invalid/ https://pastebin.com/raw/${index}`,
    );
    const found = find(links.join('\n'));
    assert.equal(found.indicators.length, 200);
    assert.equal(found.limits.length, 2);
  });

  it('stops parsing a kind of candidate that is too frequent, reports it, and still finds others', () => {
    const found = find(`${'http://http://'.repeat(9000)} 203.0.113.9:4444`);
    assert.deepEqual(found.limits, ['indicators: more than 10000 candidates for url']);
    assert.equal(found.tags.has('HARDCODED_ADDRESS'), true);
  });

  it('finds values across two windows of a long wide text', () => {
    for (const filler of [30_700, 32_740, 32_760]) {
      const text = `${'a '.repeat(filler / 2)}http://far.example.invalid/x`;
      assert.deepEqual(find(Buffer.from(text, 'utf16le')).indicators, [
        { kind: 'url', value: 'http://far.example.invalid/x', offset: 2 * filler },
      ]);
    }
  });

  it('declares a heat and a description for each of its tags', () => {
    for (const [name, [heat, meaning]] of Object.entries(indicatorTags)) {
      assert.match(name, /^[A-Z0-9_]+$/);
      assert.ok(heat >= 1 && heat <= 6 && meaning.length > 10);
    }
  });

  it('takes linear time on hostile text', () => {
    const rows = [
      '://',
      'http://',
      'aHR0cDovL',
      '//:ptth',
      'a.com.',
      'a.io/',
      'abc@abc.de ',
      'a.b.com:99 ',
      'dH',
      '.',
      `http://a.b${'.'.repeat(900)}x`,
      '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2 ',
    ];
    for (const row of rows) {
      const start = process.cpuUsage().user;
      find(Buffer.alloc(2_000_000, row));
      // Quadratic time would take minutes; this allows for a busy machine.
      assert.ok(process.cpuUsage().user - start < 5_000_000, row);
    }
  });

  it('takes linear time on numbers behind colons, without a dot in the whole file', () => {
    const start = process.cpuUsage().user;
    find(Buffer.alloc(8_000_000, '{"name":1},'));
    assert.ok(process.cpuUsage().user - start < 5_000_000);
  });

  it('returns for any bytes, with printable values and valid offsets', () => {
    const good = Buffer.concat([
      Buffer.from(
        `${WEBHOOK} ${BOT_TOKEN} 203.0.113.9:4444 me@mail.example.invalid dilavni//:ptth`,
      ),
      Buffer.from('https://pastebin.com/raw/x aHR0cDovL2EuZXhhbXBsZS5pbnZhbGlk', 'utf16le'),
    ]);
    fc.assert(
      fc.property(hostileVariants(good), (bytes) => {
        for (const { value, offset } of find(bytes).indicators) {
          assert.match(value, /^[\x20-\x7e]{1,2048}$/);
          assert.ok(offset >= 0 && offset < bytes.length);
        }
      }),
      fuzzSettings(),
    );
  });
});
