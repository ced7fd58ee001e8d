import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { withLiterals } from '../../../../test/analysis/dotnet-changes.ts';
import { extracted } from '../../../../test/analysis/extraction.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { md5, padded } from '../../../../test/fixtures/analysis/generate/families/encryption.ts';
import { startStopwatch } from '../../../../test/stopwatch.ts';
import { Subject } from '../../subject.ts';
import { hasName } from '../dotnet-settings/metadata-probes.ts';
import { quasar } from '../quasar.ts';
import { xworm } from './xworm.ts';

const sample = (name: string) => fixture(`analysis/families/xworm-${name}.exe`);
const plain = sample('plain');
const MUTEX = 'sN3kwqBVYRmzNLSr';
const HOSTS = 'worm.example.invalid,192.0.2.77,2001:db8::77';
const c2 = (host: string, port: number) => ({ protocol: 'tcp', usage: 'c2', host, port });
const read = (bytes: Buffer) => {
  const found = extracted(xworm, bytes);
  assert.ok(found !== undefined && 'endpoints' in found);
  return found;
};

function overlapped(sum: Buffer): Buffer {
  return Buffer.concat([sum.subarray(0, 15), sum, Buffer.alloc(1)]);
}

function encrypt(text: string): string {
  const cipher = createCipheriv('aes-256-ecb', overlapped(md5(MUTEX)), null);
  return Buffer.concat([cipher.update(text), cipher.final()]).toString('base64');
}

const other = {
  Key: '<123456789>',
  Delimiter: '<Xwormmm>',
  'USB File': 'USB.exe',
  'Install Folder': '%AppData%',
  'Install File': 'XClient.exe',
};
/** Not encrypted: a number. */
const sleep = { Sleep: '3' };
const common = {
  version: '5.6',
  campaign: ['XWorm V5.6'],
  mutex: [MUTEX],
  endpoints: HOSTS.split(',').map((host) => c2(host, 7000)),
  other: { ...other, ...sleep },
  capabilities: ['SETTING_USB_SPREAD'],
  offset: 625,
};

describe('settings of XWorm', () => {
  it('are read by the names of their fields', () => {
    assert.deepEqual(extracted(xworm, plain), common);
  });

  it('include wallets, the Telegram chat and a list of ports', () => {
    assert.deepEqual(extracted(xworm, sample('wallets')), {
      ...common,
      endpoints: [c2('198.51.100.77', 7000), c2('198.51.100.77', 7001)],
      other: {
        ...other,
        ...sleep,
        'BTC Address': 'bc1qfixturefixturefixturefixture0000000',
        'ETH Address': '0xf1f7f1f7f1f7f1f7f1f7f1f7f1f7f1f7f1f7f1f7',
        'Telegram Bot Token': '1234567890:fixture-of-a-token-which-is-none',
        'Telegram Chat ID': '-1001234567890',
      },
      capabilities: ['SETTING_TELEGRAM', 'SETTING_CLIPPER', 'SETTING_USB_SPREAD'],
    });
  });

  it('are read by their order if names are obfuscated', () => {
    assert.deepEqual(extracted(xworm, sample('nameless')), {
      ...common,
      version: '3.1',
      campaign: ['XWorm V3.1'],
      endpoints: [c2('three.example.invalid', 7000)],
      other,
      offset: 645,
    });
  });

  it('tell wallets and the Telegram chat by their form if names are obfuscated', () => {
    const found = extracted(xworm, sample('nameless-wallets'));
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.deepEqual(found.endpoints, [c2('four.example.invalid', 7000)]);
    assert.deepEqual(found.other, {
      ...other,
      'BTC Address': 'bc1qfixturefixturefixturefixture0000000',
      'ETH Address': '0xf1f7f1f7f1f7f1f7f1f7f1f7f1f7f1f7f1f7f1f7',
      'TRC Address': 'TF1xTUReF1xTUReF1xTUReF1xTUReF1xTU',
      'Telegram Bot Token': '1234567890:fixture-of-a-token-which-is-none',
      'Telegram Chat ID': '-1001234567890',
    });
  });

  it('are read through properties, locals, known calls and other methods', () => {
    assert.deepEqual(extracted(xworm, sample('shapes')), { ...common, offset: 617 });
  });

  it('include the dead drop', () => {
    assert.deepEqual(extracted(xworm, sample('dead-drop')), {
      ...common,
      endpoints: [
        { protocol: 'https', usage: 'dead-drop', url: 'https://paste.example.invalid/raw/worm' },
      ],
      capabilities: ['SETTING_DEAD_DROP', 'SETTING_USB_SPREAD'],
    });
  });

  it('are read in clones with 3DES, CBC or CFB', () => {
    for (const [name, offset] of [
      ['triple-des', 645],
      ['cbc', 625],
      ['cfb', 625],
    ] as const)
      assert.deepEqual(
        extracted(xworm, sample(name)),
        { ...common, version: undefined, campaign: ['Clone'], offset },
        name,
      );
  });

  it('are read if no name of a class is in the metadata', () => {
    assert.deepEqual(extracted(xworm, sample('reflection')), {
      ...common,
      endpoints: [c2('reflection.example.invalid', 7000)],
    });
    const subject = new Subject(sample('reflection'), 'sample');
    for (const name of ['RijndaelManaged', 'MD5CryptoServiceProvider', 'MD5', 'Aes', 'Rijndael'])
      assert.equal(hasName(subject, name), false, name);
  });

  it('are read under every scheme that clones have', () => {
    const texts = [HOSTS, '7000', ...Object.values(other), 'XWorm V5.6'];
    const schemes = [
      ['aes-256-cbc', overlapped(md5(MUTEX)), 'zeros'],
      ['aes-256-cbc', overlapped(md5(MUTEX)), 'first'],
      ['aes-128-ecb', md5(MUTEX), 'none'],
      ['aes-128-cbc', md5(MUTEX), 'zeros'],
      ['aes-128-cbc', md5(MUTEX), 'first'],
      ['aes-256-cfb', overlapped(md5(MUTEX)), 'first'],
      ['aes-256-cfb8', overlapped(md5(MUTEX)), 'zeros'],
      ['aes-256-cfb8', overlapped(md5(MUTEX)), 'first'],
      ['aes-128-cfb', md5(MUTEX), 'zeros'],
      ['aes-128-cfb8', md5(MUTEX), 'first'],
    ] as const;
    for (const [name, key, iv] of schemes) {
      const first = iv === 'first' ? Buffer.alloc(16, 0xa5) : Buffer.alloc(16);
      const changes = texts.map((text) => {
        const cipher = createCipheriv(name, key, iv === 'none' ? null : first);
        // OpenSSL does not pad for CFB.
        const padding = name.includes('cfb') ? padded(text) : Buffer.from(text);
        const encrypted = Buffer.concat([cipher.update(padding), cipher.final()]);
        const whole = iv === 'first' ? Buffer.concat([first, encrypted]) : encrypted;
        return [encrypt(text), whole.toString('base64')];
      });
      const clone = withLiterals(plain, Object.fromEntries(changes));
      assert.deepEqual(extracted(xworm, clone), common, `${name} ${iv}`);
    }
  });

  it('are not read from an unbuilt template', () => {
    assert.deepEqual(extracted(xworm, sample('template')), {
      unread: 'template that was never built',
      offset: 625,
    });
  });

  it('are not read from another program with the same encryption', () => {
    assert.equal(extracted(xworm, sample('lookalike')), undefined);
    const account = {
      [encrypt('<123456789>')]: encrypt('someone'),
      [encrypt('<Xwormmm>')]: encrypt('not-a-password'),
      [encrypt('XWorm V3.1')]: encrypt('shop'),
    };
    assert.equal(extracted(xworm, withLiterals(sample('nameless'), account)), undefined);
    const markup = { ...account, [encrypt('XWorm V3.1')]: encrypt('<html>') };
    assert.equal(extracted(xworm, withLiterals(sample('nameless'), markup)), undefined);
    const noHost = { [encrypt('three.example.invalid')]: encrypt('a word') };
    assert.equal(extracted(xworm, withLiterals(sample('nameless'), noHost)), undefined);
  });

  it('are not taken for those of Quasar', () => {
    for (const name of ['plain', 'wallets', 'nameless', 'cbc'])
      assert.equal(extracted(quasar, sample(name)), undefined, name);
  });
});

describe('damaged settings of XWorm', () => {
  it('are not read if the mutex is wrong or the file is truncated', () => {
    assert.equal(extracted(xworm, sample('damaged')), undefined);
    assert.equal(extracted(xworm, plain.subarray(0, plain.length / 2)), undefined);
  });

  it('are not read if host or port fail to decrypt', () => {
    for (const text of [HOSTS, '7000']) {
      const encrypted = encrypt(text);
      const broken = `${encrypted.slice(0, -8)}AAAA${encrypted.slice(-4)}`;
      assert.equal(extracted(xworm, withLiterals(plain, { [encrypted]: broken })), undefined);
    }
  });

  it('are not read by their order if the port fails to decrypt and the key looks like one', () => {
    const port = encrypt('7000');
    const changes = {
      [port]: `${port.slice(0, 4)}AAAA${port.slice(8)}`,
      [encrypt('<123456789>')]: encrypt('12345'),
    };
    assert.equal(extracted(xworm, withLiterals(sample('nameless'), changes)), undefined);
  });

  it('are not read if too few values decrypt', () => {
    const changes = Object.fromEntries(
      ['<123456789>', '<Xwormmm>', 'XWorm V5.6', 'USB.exe'].map((text) => {
        const encrypted = encrypt(text);
        return [encrypted, `${encrypted.slice(0, 10)}AAAA${encrypted.slice(14)}`];
      }),
    );
    assert.equal(extracted(xworm, withLiterals(plain, changes)), undefined);
  });
});

describe('hostile settings of XWorm', () => {
  it('with tens of thousands of hosts are bounded', () => {
    const hosts = 'a.invalid,'.repeat(70_000);
    const { endpoints } = read(withLiterals(plain, { [encrypt(HOSTS)]: encrypt(hosts) }));
    assert.equal(endpoints.length, 1_000);
  });

  it('with long values that fail to decrypt take little time', () => {
    const noise = Buffer.alloc(700_000, 0x5a).toString('base64');
    const texts = [HOSTS, '7000', '<123456789>', '<Xwormmm>', 'XWorm V5.6', 'USB.exe'];
    const changes = Object.fromEntries(texts.map((text) => [encrypt(text), noise]));
    const spent = startStopwatch();
    assert.equal(extracted(xworm, withLiterals(plain, changes)), undefined);
    assert.ok(spent() < 15_000);
  });

  it('contain no invisible character and no unlimited text', () => {
    const text = `__proto__\u200b${'x'.repeat(50_000)}`;
    const [invisible, long] = [text.slice(0, 20), text.replace('\u200b', '')];
    const found = read(
      withLiterals(plain, {
        [encrypt('XWorm V5.6')]: encrypt(long),
        [encrypt('USB.exe')]: encrypt(invisible),
      }),
    );
    assert.ok((found.campaign?.[0]?.length ?? 0) < 1_000);
    assert.equal(found.other?.['USB File'], undefined);
  });

  it('stop when the time budget is used up', () => {
    assert.equal(extracted(xworm, plain, { isOver: () => true }), undefined);
  });

  it('do not fail on hostile files', () => {
    for (const name of ['wallets', 'nameless', 'cbc', 'template'])
      fc.assert(
        fc.property(hostileVariants(sample(name)), (bytes) => {
          extracted(xworm, bytes);
        }),
        fuzzSettings(),
      );
  });
});
