import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { withLiterals } from '../../../test/analysis/dotnet-changes.ts';
import { extracted } from '../../../test/analysis/extraction.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import {
  deriveKeys,
  encrypt,
  ivFor,
  md5,
} from '../../../test/fixtures/analysis/generate/families/encryption.ts';
import { Subject } from '../subject.ts';
import { asyncrat } from './asyncrat.ts';
import { hasName } from './dotnet-settings/metadata-probes.ts';
import { quasar } from './quasar.ts';
import { xworm } from './xworm/xworm.ts';

const sample = (name: string) => fixture(`analysis/families/quasar-${name}.exe`);
const plain = sample('plain');
const KEY = '00112233445566778899AABBCCDDEEFF00112233';
const HOSTS = 'quasar.example.invalid:4782;192.0.2.82:4783;[2001:db8::82]:4784;';
const c2 = (host: string, port: number) => ({ protocol: 'tcp', usage: 'c2', host, port });
const read = (bytes: Buffer) => {
  const found = extracted(quasar, bytes);
  assert.ok(found !== undefined && 'endpoints' in found);
  return found;
};

const folders = {
  'Install Folder': 'SubDir',
  'Install File': 'Client.exe',
  'Startup Key': 'Quasar Client Startup',
  'Log Folder': 'Logs',
};
const certificate = {
  'Certificate SHA-256': '57fc920877c51a89ae1142dfed1268eb02d6ef10e351da46261acdf2570aa218',
};
const common = {
  campaign: ['Office04'],
  mutex: ['4f3c1d2e-0000-4000-8000-00000000f1f7'],
  endpoints: [c2('quasar.example.invalid', 4782), c2('192.0.2.82', 4783), c2('2001:db8::82', 4784)],
};
const switches = ['SETTING_INSTALL', 'SETTING_KEYLOGGER'];

describe('settings of Quasar', () => {
  it('are read by the names of their fields', () => {
    assert.deepEqual(extracted(quasar, plain), {
      ...common,
      version: '1.4.1',
      other: { ...folders, 'Reconnect Delay': '3000', Key: KEY, ...certificate },
      capabilities: switches,
      offset: 1305,
    });
  });

  it('are not read if the text before the hosts is not a version', () => {
    const keys = deriveKeys(KEY);
    const changed = { [encrypt('1.4.1', keys)]: encrypt('database', keys) };
    assert.equal(extracted(quasar, withLiterals(sample('nameless'), changed)), undefined);
  });

  it('are not read by their order from another program with a version and a server', () => {
    const keys = deriveKeys(KEY);
    const other = withLiterals(sample('nameless'), {
      [encrypt(HOSTS, keys)]: encrypt('db.example.invalid:5432', keys),
      [encrypt('SubDir', keys)]: encrypt('shop', keys),
      [encrypt('Client.exe', keys)]: encrypt('someone', keys),
    });
    assert.equal(extracted(quasar, other), undefined);
  });

  it('are read by their order if names are obfuscated', () => {
    assert.deepEqual(extracted(quasar, sample('nameless')), {
      ...common,
      version: '1.4.1',
      other: { ...folders, Key: KEY, ...certificate },
      capabilities: [],
      offset: 1281,
    });
  });

  it('are read with the shorter key of 1.3', () => {
    assert.deepEqual(extracted(quasar, sample('small-key')), {
      ...common,
      version: '1.3.0.0',
      other: { ...folders, 'Reconnect Delay': '3000', Key: KEY },
      capabilities: switches,
      offset: 1305,
    });
  });

  it('are read with an MD5 key and no MAC', () => {
    assert.deepEqual(extracted(quasar, sample('md5')), {
      ...common,
      version: '1.2.0.0',
      other: { ...folders, 'Reconnect Delay': '3000', Key: KEY },
      capabilities: switches,
      offset: 777,
    });
  });

  it('are read if no name of a class is in the metadata', () => {
    const { offset, ...found } = read(sample('reflection'));
    const { offset: _, ...named } = read(plain);
    assert.deepEqual(found, named);
    const subject = new Subject(sample('reflection'), 'sample');
    for (const name of ['Rfc2898DeriveBytes', 'HMACSHA256', 'AesCryptoServiceProvider'])
      assert.equal(hasName(subject, name), false, name);
  });

  it('are read in clones without a MAC and in CFB mode', () => {
    const { offset, ...found } = read(sample('md5-cfb'));
    const { offset: _, ...cbc } = read(sample('md5'));
    assert.deepEqual(found, cbc);
  });

  it('are not read from an unbuilt template', () => {
    assert.deepEqual(extracted(quasar, sample('template')), {
      unread: 'template that was never built',
      offset: 1305,
    });
  });

  it('are not taken for those of AsyncRAT or XWorm', () => {
    for (const name of ['plain', 'nameless', 'small-key', 'md5', 'template']) {
      assert.equal(extracted(asyncrat, sample(name)), undefined, name);
      assert.equal(extracted(xworm, sample(name)), undefined, name);
    }
  });
});

describe('damaged settings of Quasar', () => {
  it('are not read if a MAC or a padding is wrong, or the file is truncated', () => {
    assert.equal(extracted(quasar, sample('damaged')), undefined);
    assert.equal(extracted(quasar, sample('md5-damaged')), undefined);
    assert.equal(extracted(quasar, plain.subarray(0, plain.length / 2)), undefined);
  });

  it('skip an entry that is not host:port, as the client does', () => {
    const keys = deriveKeys(KEY);
    const changed = (name: string, hosts: string) =>
      extracted(
        quasar,
        withLiterals(sample(name), { [encrypt(HOSTS, keys)]: encrypt(hosts, keys) }),
      );
    const found = changed('plain', 'x;one.example.invalid:4782;:1;y:99999');
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.deepEqual(found.endpoints, [c2('one.example.invalid', 4782)]);
    assert.equal(changed('nameless', 'x;one.example.invalid:4782'), undefined);
  });

  it('are not read if hosts have no ports', () => {
    const keys = deriveKeys(KEY);
    for (const hosts of ['one.example.invalid', 'one.example.invalid:0', 'a:x;b', ';', ''])
      assert.equal(
        extracted(quasar, withLiterals(plain, { [encrypt(HOSTS, keys)]: encrypt(hosts, keys) })),
        undefined,
      );
  });
});

describe('hostile settings of Quasar', () => {
  const old = sample('md5');
  const sealOld = (text: string) => {
    const cipher = createCipheriv('aes-128-cbc', md5(KEY), ivFor(text));
    return Buffer.concat([ivFor(text), cipher.update(text), cipher.final()]).toString('base64');
  };

  it('with tens of thousands of hosts are bounded', () => {
    const hosts = 'a.invalid:80;'.repeat(50_000);
    const { endpoints } = read(withLiterals(old, { [sealOld(HOSTS)]: sealOld(hosts) }));
    assert.equal(endpoints.length, 1_000);
  });

  it('cost no key derivation in a program without PBKDF2', () => {
    const started = process.cpuUsage();
    const long = Buffer.alloc(4096, 'noise').toString('base64');
    assert.equal(extracted(quasar, withLiterals(old, { [sealOld('1.2.0.0')]: long })), undefined);
    assert.ok(process.cpuUsage(started).user < 500_000);
  });

  it('contain no invisible character and no unlimited text', () => {
    const tag = `__proto__\u202e${'x'.repeat(50_000)}`;
    const keys = deriveKeys(KEY);
    const found = read(withLiterals(plain, { [encrypt('Office04', keys)]: encrypt(tag, keys) }));
    assert.ok((found.campaign?.[0]?.length ?? 0) < 1_000);
    assert.doesNotMatch(JSON.stringify(found), /\u202e/);
  });

  it('stop when the time budget is used up', () => {
    assert.equal(extracted(quasar, old, { isOver: () => true }), undefined);
  });

  it('do not fail on hostile files', () => {
    for (const name of ['md5', 'template'])
      fc.assert(
        fc.property(hostileVariants(sample(name)), (bytes) => {
          extracted(quasar, bytes);
        }),
        fuzzSettings(),
      );
  });
});
