import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { withLiterals } from '../../../../test/analysis/dotnet-changes.ts';
import { extracted } from '../../../../test/analysis/extraction.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { md5 } from '../../../../test/fixtures/analysis/generate/families/sealing.ts';
import { startStopwatch } from '../../../../test/stopwatch.ts';
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

function seal(text: string): string {
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
/** Not sealed, and a number. */
const sleep = { Sleep: '3' };
const common = {
  version: '5.6',
  campaign: ['XWorm V5.6'],
  mutex: [MUTEX],
  endpoints: HOSTS.split(',').map((host) => c2(host, 7000)),
  other: { ...other, ...sleep },
  capabilities: ['SETTING_USB_SPREAD'],
  offset: 665,
};

describe('settings of XWorm', () => {
  it('are read by the names of their fields', () => {
    assert.deepEqual(extracted(xworm, plain), common);
  });

  it('tell wallets, the Telegram chat and ports in a list', () => {
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

  it('are read by their order where the names are gone', () => {
    assert.deepEqual(extracted(xworm, sample('nameless')), {
      ...common,
      version: '3.1',
      campaign: ['XWorm V3.1'],
      endpoints: [c2('three.example.invalid', 7000)],
      other,
      offset: 637,
    });
  });

  it('tell wallets and the Telegram chat by their form where the names are gone', () => {
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

  it('are read however they are stored: by properties, locals, calls that are known, other methods', () => {
    assert.deepEqual(extracted(xworm, sample('shapes')), { ...common, offset: 609 });
  });

  it('name the page on which the host stands', () => {
    assert.deepEqual(extracted(xworm, sample('dead-drop')), {
      ...common,
      endpoints: [
        { protocol: 'https', usage: 'dead-drop', url: 'https://paste.example.invalid/raw/worm' },
      ],
      capabilities: ['SETTING_DEAD_DROP', 'SETTING_USB_SPREAD'],
    });
  });

  it('are read in clones with 3DES or CBC', () => {
    for (const name of ['triple-des', 'cbc'])
      assert.deepEqual(
        extracted(xworm, sample(name)),
        { ...common, version: undefined, campaign: ['Clone'] },
        name,
      );
  });

  it('are read under every scheme that clones have', () => {
    const texts = [HOSTS, '7000', ...Object.values(other), 'XWorm V5.6'];
    const schemes = [
      ['aes-256-cbc', overlapped(md5(MUTEX)), 'zeros'],
      ['aes-256-cbc', overlapped(md5(MUTEX)), 'first'],
      ['aes-128-ecb', md5(MUTEX), 'none'],
      ['aes-128-cbc', md5(MUTEX), 'zeros'],
      ['aes-128-cbc', md5(MUTEX), 'first'],
    ] as const;
    for (const [name, key, iv] of schemes) {
      const first = iv === 'first' ? Buffer.alloc(16, 0xa5) : Buffer.alloc(16);
      const changes = texts.map((text) => {
        const cipher = createCipheriv(name, key, iv === 'none' ? null : first);
        const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
        const whole = iv === 'first' ? Buffer.concat([first, sealed]) : sealed;
        return [seal(text), whole.toString('base64')];
      });
      const clone = withLiterals(plain, Object.fromEntries(changes));
      assert.deepEqual(extracted(xworm, clone), common, `${name} ${iv}`);
    }
  });

  it('are not there in a template', () => {
    assert.deepEqual(extracted(xworm, sample('template')), {
      unread: 'template that was never built',
      offset: 665,
    });
  });

  it('are none where another program seals a host, a port and an account in the same way', () => {
    const account = {
      [seal('<123456789>')]: seal('someone'),
      [seal('<Xwormmm>')]: seal('not-a-password'),
      [seal('XWorm V3.1')]: seal('shop'),
    };
    assert.equal(extracted(xworm, withLiterals(sample('nameless'), account)), undefined);
    const noHost = { [seal('three.example.invalid')]: seal('a word') };
    assert.equal(extracted(xworm, withLiterals(sample('nameless'), noHost)), undefined);
  });

  it('are not taken for those of Quasar', () => {
    for (const name of ['plain', 'wallets', 'nameless', 'cbc'])
      assert.equal(extracted(quasar, sample(name)), undefined, name);
  });
});

describe('damaged settings of XWorm', () => {
  it('are none where the mutex is another, or the file is cut', () => {
    assert.equal(extracted(xworm, sample('damaged')), undefined);
    assert.equal(extracted(xworm, plain.subarray(0, plain.length / 2)), undefined);
  });

  it('are none where host or port do not open', () => {
    for (const text of [HOSTS, '7000']) {
      const sealed = seal(text);
      const broken = `${sealed.slice(0, -8)}AAAA${sealed.slice(-4)}`;
      assert.equal(extracted(xworm, withLiterals(plain, { [sealed]: broken })), undefined);
    }
  });

  it('are none where too few values open', () => {
    const changes = Object.fromEntries(
      ['<123456789>', '<Xwormmm>', 'XWorm V5.6', 'USB.exe'].map((text) => {
        const sealed = seal(text);
        return [sealed, `${sealed.slice(0, 10)}AAAA${sealed.slice(14)}`];
      }),
    );
    assert.equal(extracted(xworm, withLiterals(plain, changes)), undefined);
  });
});

describe('hostile settings of XWorm', () => {
  it('with tens of thousands of hosts are bounded', () => {
    const hosts = 'a.invalid,'.repeat(70_000);
    const { endpoints } = read(withLiterals(plain, { [seal(HOSTS)]: seal(hosts) }));
    assert.equal(endpoints.length, 1_000);
  });

  it('with long values that never open end soon', () => {
    const noise = Buffer.alloc(700_000, 0x5a).toString('base64');
    const texts = [HOSTS, '7000', '<123456789>', '<Xwormmm>', 'XWorm V5.6', 'USB.exe'];
    const changes = Object.fromEntries(texts.map((text) => [seal(text), noise]));
    const spent = startStopwatch();
    assert.equal(extracted(xworm, withLiterals(plain, changes)), undefined);
    assert.ok(spent() < 15_000);
  });

  it('hold no text that is invisible or without end', () => {
    const text = `__proto__\u200b${'x'.repeat(50_000)}`;
    const [invisible, long] = [text.slice(0, 20), text.replace('\u200b', '')];
    const found = read(
      withLiterals(plain, { [seal('XWorm V5.6')]: seal(long), [seal('USB.exe')]: seal(invisible) }),
    );
    assert.ok((found.campaign?.[0]?.length ?? 0) < 1_000);
    assert.equal(found.other?.['USB File'], undefined);
  });

  it('are given up when time is over', () => {
    assert.equal(extracted(xworm, plain, { isOver: () => true }), undefined);
  });

  it('are looked for in hostile files without harm', () => {
    for (const name of ['wallets', 'nameless', 'cbc', 'template'])
      fc.assert(
        fc.property(hostileVariants(sample(name)), (bytes) => {
          extracted(xworm, bytes);
        }),
        fuzzSettings(),
      );
  });
});
