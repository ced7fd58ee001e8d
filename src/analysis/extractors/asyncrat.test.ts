import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { withLiterals } from '../../../test/analysis/dotnet-changes.ts';
import { extracted } from '../../../test/analysis/extraction.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import {
  CERTIFICATE,
  deriveKeys,
  encrypt,
  SIGNATURE,
} from '../../../test/fixtures/analysis/generate/families/encryption.ts';
import { startStopwatch } from '../../../test/stopwatch.ts';
import { Subject } from '../subject.ts';
import { asyncrat } from './asyncrat.ts';
import { addressOf } from './c2s.ts';
import { hasName } from './dotnet-settings/metadata-probes.ts';
import { quasar } from './quasar.ts';

const sample = (name: string) => fixture(`analysis/families/asyncrat-${name}.exe`);
const plain = sample('plain');
const password = 'f1xtureF1xtureF1xtureF1xtureF1xt';
const c2 = (host: string, port: number) => ({ protocol: 'tcp', usage: 'c2', host, port });
const read = (bytes: Buffer) => {
  const found = extracted(asyncrat, bytes);
  assert.ok(found !== undefined && 'endpoints' in found);
  return found;
};

const key = Buffer.from(password).toString('base64');
const certificate = {
  'Certificate SHA-256': '57fc920877c51a89ae1142dfed1268eb02d6ef10e351da46261acdf2570aa218',
};
const install = { 'Install Folder': '%AppData%', 'Install File': 'fixture.exe' };
const HOSTS = 'async.example.invalid,192.0.2.66,2001:db8::66';
const PORTS = '6606,7707,8808';

describe('settings of AsyncRAT', () => {
  it('are read by the names of their fields, each host on each port', () => {
    assert.deepEqual(extracted(asyncrat, plain), {
      family: 'asyncrat',
      version: '0.5.8',
      campaign: ['Default'],
      mutex: ['AsyncMutex_6SI8OkPnk'],
      endpoints: ['async.example.invalid', '192.0.2.66', '2001:db8::66'].flatMap((host) =>
        [6606, 7707, 8808].map((port) => c2(host, port)),
      ),
      other: {
        Install: 'true',
        ...install,
        Anti: 'false',
        BDOS: 'false',
        Delay: '3',
        Key: key,
        ...certificate,
      },
      capabilities: ['SETTING_INSTALL'],
      offset: 1425,
    });
  });

  it('are read by their order if names are obfuscated', () => {
    assert.deepEqual(extracted(asyncrat, sample('nameless')), {
      family: 'asyncrat',
      version: '0.5.8',
      campaign: ['Default'],
      mutex: ['AsyncMutex_6SI8OkPnk'],
      endpoints: [c2('198.51.100.6', 443)],
      other: {
        Install: 'true',
        ...install,
        Anti: 'false',
        BDOS: 'true',
        Delay: '3',
        Key: key,
        ...certificate,
      },
      capabilities: ['SETTING_INSTALL', 'SETTING_CRITICAL_PROCESS'],
      offset: 1401,
    });
  });

  it('are read with another salt, other rounds, a shorter key and one field more', () => {
    assert.deepEqual(extracted(asyncrat, sample('clone')), {
      family: 'asyncrat',
      version: 'Clone 2',
      campaign: undefined,
      mutex: ['AsyncMutex_6SI8OkPnk'],
      endpoints: [6606, 7707, 8808].map((port) => c2('clone.example.invalid', port)),
      other: { Key: key },
      capabilities: [],
      offset: 889,
    });
  });

  it('are read if no name of a class is in the metadata', () => {
    const found = read(sample('reflection'));
    assert.deepEqual(
      found.endpoints,
      [6606, 7707, 8808].map((port) => c2('reflection.example.invalid', port)),
    );
    assert.deepEqual([found.version, found.mutex], ['0.5.8', ['AsyncMutex_6SI8OkPnk']]);
    const subject = new Subject(sample('reflection'), 'sample');
    for (const name of ['Rfc2898DeriveBytes', 'HMACSHA256', 'AesCryptoServiceProvider'])
      assert.equal(hasName(subject, name), false, name);
  });

  it('are read if a class of the program derives the keys with a salt that is not known', () => {
    const found = read(sample('own-derivation'));
    assert.deepEqual(found.endpoints, [c2('own.example.invalid', 4449)]);
    assert.equal(found.other?.['Delay'], '3');
  });

  it('are read in clones with AES in CFB mode', () => {
    for (const mode of ['cfb', 'cfb8']) {
      const found = read(sample(mode));
      assert.deepEqual(
        found.endpoints,
        [6606, 7707, 8808].map((port) => c2(`${mode}.example.invalid`, port)),
        mode,
      );
      assert.deepEqual(found.other, read(plain).other, mode);
    }
  });

  it('are not read from another program with the same encryption', () => {
    assert.equal(extracted(asyncrat, sample('lookalike')), undefined);
    assert.equal(extracted(quasar, sample('lookalike')), undefined);
  });

  it('are not read by their form from a program with hosts and no certificate', () => {
    const salt = Buffer.from('another salt altogether');
    const keys = deriveKeys(password, { salt, rounds: 1_000, aesBytes: 16 });
    const changed = (from: string, to: string) => ({ [encrypt(from, keys)]: encrypt(to, keys) });
    for (const changes of [
      changed('clone.example.invalid', 'someone'),
      { ...changed(CERTIFICATE, 'shop'), ...changed(SIGNATURE, 'not-a-password') },
    ])
      assert.equal(extracted(asyncrat, withLiterals(sample('clone'), changes)), undefined);
  });

  it('are not read by the names of hosts and ports alone', () => {
    const keys = deriveKeys(password);
    const other = withLiterals(plain, {
      [encrypt(CERTIFICATE, keys)]: encrypt('shop', keys),
      3: encrypt('not-a-password', keys),
    });
    assert.notEqual(extracted(asyncrat, other), undefined);
    for (const name of ['MTX', 'Certificate', 'Serversignature', 'Anti', 'Pastebin', 'BDOS'])
      other.write('X', other.indexOf(`\0${name}\0`) + 1);
    assert.equal(extracted(asyncrat, other), undefined);
  });

  it('are not read under a mode that is not known, even if a padding is right', () => {
    const keys = deriveKeys(password);
    const changes = { [encrypt(HOSTS, keys)]: encrypt('86.example.invalid', keys, 'ofb') };
    assert.equal(extracted(asyncrat, withLiterals(plain, changes)), undefined);
  });

  it('are not recognised from placeholders alone', () => {
    const template = sample('template');
    const at = template.indexOf('HMACSHA256\0');
    template.write('X', at);
    assert.equal(extracted(asyncrat, template), undefined);
  });

  it('are those of DcRat by its salt', () => {
    assert.deepEqual(extracted(asyncrat, sample('dcrat')), {
      family: 'dcrat',
      version: '1.0.7',
      campaign: ['Default'],
      mutex: ['DcRatMutex_fixture'],
      endpoints: [c2('dc.example.invalid', 8848)],
      other: {
        ...{ Install: 'false', ...install, Anti: 'false', 'Anti Process': 'true', BSOD: 'false' },
        ...{ Delay: '3', Key: key, ...certificate },
      },
      capabilities: ['SETTING_ANTI_ANALYSIS'],
      offset: 909,
    });
  });

  it('are those of VenomRAT by its salt, with the dead drop', () => {
    assert.deepEqual(extracted(asyncrat, sample('venomrat')), {
      family: 'venomrat',
      version: 'Venom RAT + HVNC + Stealer + Grabber  v6.0.3',
      campaign: ['Venom Clients'],
      mutex: ['fixturemutex'],
      endpoints: [
        { protocol: 'https', usage: 'dead-drop', url: 'https://paste.example.invalid/raw/venom' },
      ],
      other: {
        ...{ Install: 'true', ...install, Anti: 'false', 'Anti Process': 'true', BSOD: 'true' },
        ...{ Delay: '3', Key: key, ...certificate },
      },
      capabilities: [
        ...['SETTING_INSTALL', 'SETTING_ANTI_ANALYSIS', 'SETTING_CRITICAL_PROCESS'],
        'SETTING_DEAD_DROP',
      ],
      offset: 909,
    });
  });

  it('are those of the class that the program uses', () => {
    assert.deepEqual(
      read(sample('decoy')).endpoints,
      [6606, 7707, 8808].map((port) => c2('used.example.invalid', port)),
    );
  });

  it('name the hosts as other addresses if the address comes from a dead drop', () => {
    const keys = deriveKeys(password);
    const url = 'https://paste.example.invalid/raw/1';
    const changes = { [encrypt('null', keys)]: encrypt(url, keys) };
    const { endpoints, capabilities } = read(withLiterals(plain, changes));
    assert.deepEqual(endpoints[0], { protocol: 'https', usage: 'dead-drop', url });
    assert.deepEqual([...new Set(endpoints.slice(1).map(({ usage }) => usage))], ['other']);
    assert.equal(endpoints.length, 10);
    assert.ok(capabilities?.includes('SETTING_DEAD_DROP'));
  });

  it('are not read from an unbuilt template', () => {
    assert.deepEqual(extracted(asyncrat, sample('template')), {
      family: 'asyncrat',
      unread: 'template that was never built',
      offset: 1425,
    });
  });

  it('are not read from templates of derivatives, which the salt identifies', () => {
    const salt = 'DcRatByqwqdanchun';
    const keys = deriveKeys(password, { salt: Buffer.from(salt) });
    const filled = [
      '8848',
      'dc.example.invalid',
      ' 1.0.7',
      'DcRatMutex_fixture',
      'Default',
      'null',
    ];
    const names = ['%Ports%', '%Hosts%', '%Version%', '%MTX%', '%Group%', '%Paste_bin%'];
    // Two encrypted values (certificate and signature) are too few for settings.
    const changes = {
      ...Object.fromEntries(filled.map((text, index) => [encrypt(text, keys), names[index] ?? ''])),
      ...{ [encrypt('true', keys)]: '%AntiProcess%', [encrypt('false', keys)]: '%Anti%' },
    };
    const unread = { unread: 'template that was never built', offset: 909 };
    const dcrat = withLiterals(sample('dcrat'), changes);
    assert.deepEqual(extracted(asyncrat, dcrat), { family: 'dcrat', ...unread });
    const venomrat = withLiterals(sample('dcrat'), { ...changes, [salt]: 'VenomRATByVenom' });
    assert.deepEqual(extracted(asyncrat, venomrat), { family: 'venomrat', ...unread });
  });

  it('are read with the known salts if the code has none', () => {
    // `ldc.i4 50000` becomes `ldsfld` of a missing field.
    const at = plain.indexOf(Buffer.from('2050c30000', 'hex'));
    const hidden = Buffer.from(plain);
    hidden[at] = 0x7e;
    assert.notEqual(at, -1);
    assert.equal(read(hidden).version, '0.5.8');
  });

  it('are not taken for those of Quasar, which has the same encryption', () => {
    for (const name of ['plain', 'nameless', 'dcrat'])
      assert.equal(extracted(quasar, sample(name)), undefined);
  });
});

describe('damaged settings of AsyncRAT', () => {
  it('are not read if the MAC of the hosts is wrong', () => {
    for (const name of ['damaged', 'dcrat-damaged', 'venomrat-damaged'])
      assert.equal(extracted(asyncrat, sample(name)), undefined, name);
  });

  it('are not read if the password is wrong', () => {
    const other = Buffer.from('another password of that length!').toString('base64');
    assert.equal(extracted(asyncrat, withLiterals(plain, { [key]: other })), undefined);
  });

  it('are not read in CFB mode if the MAC of the hosts is wrong', () => {
    const hosts = encrypt('cfb8.example.invalid', deriveKeys(password), 'cfb8');
    const forged = `${hosts.slice(0, -8)}AAAA${hosts.slice(-4)}`;
    assert.equal(extracted(asyncrat, withLiterals(sample('cfb8'), { [hosts]: forged })), undefined);
  });

  it('omit a value with a wrong MAC', () => {
    const keys = deriveKeys(password);
    const mutex = encrypt('AsyncMutex_6SI8OkPnk', keys);
    const forged = `${mutex.slice(0, 4)}AAAA${mutex.slice(8)}`;
    assert.equal(read(withLiterals(plain, { [mutex]: forged })).mutex, undefined);
  });

  it('are not read from a file truncated before the end of the hosts', () => {
    const hosts = plain.indexOf(Buffer.from(encrypt(HOSTS, deriveKeys(password)), 'utf16le'));
    assert.notEqual(hosts, -1);
    for (const end of [100, 600, hosts - 20, hosts, hosts + 20])
      assert.equal(extracted(asyncrat, plain.subarray(0, end)), undefined);
  });
});

describe('hostile settings of AsyncRAT', () => {
  const keys = deriveKeys(password);
  const changed = (from: string, to: string) =>
    withLiterals(plain, { [encrypt(from, keys)]: encrypt(to, keys) });

  it('with tens of thousands of hosts are bounded', () => {
    const { endpoints } = read(changed(HOSTS, 'a.invalid,'.repeat(70_000)));
    assert.equal(endpoints.length, 1_000);
  });

  it('with a million hosts are rejected in time', () => {
    const spent = startStopwatch();
    assert.equal(extracted(asyncrat, changed(HOSTS, 'a.invalid,'.repeat(1_000_000))), undefined);
    assert.ok(spent() < 25_000);
  });

  it('cost at most a dozen derivations if the code states none', () => {
    const noise = (seed: number) => Buffer.alloc(96, `noise ${seed}`).toString('base64');
    const changes = ['Default', '0.5.8', 'true', 'null', 'AsyncMutex_6SI8OkPnk'].map(
      (text, index) => [encrypt(text, keys), noise(index)],
    );
    const hosts = encrypt('reflection.example.invalid', keys);
    const hostile = withLiterals(sample('reflection'), {
      ...Object.fromEntries(changes),
      [key]: 'not the password of the settings',
      [hosts]: noise(9),
    });
    const spent = startStopwatch();
    assert.equal(extracted(asyncrat, hostile), undefined);
    assert.ok(spent() < 10_000);
  });

  it('with invalid ports give hosts and no address', () => {
    for (const ports of ['65536', 'x', '']) {
      const { endpoints } = read(changed(PORTS, ports));
      assert.equal(endpoints.length, 3);
      assert.deepEqual(
        endpoints.map(addressOf).filter((address) => address !== undefined),
        [],
      );
    }
  });

  it('with one invalid port give the others', () => {
    const ports = read(changed(PORTS, '80,x,81')).endpoints.map(({ port }) => port);
    assert.deepEqual([...new Set(ports)], [80, 81]);
  });

  it('with an excessive number of rounds are not read', () => {
    const clone = sample('clone');
    const at = clone.indexOf(Buffer.from('20e8030000', 'hex'));
    assert.notEqual(at, -1);
    const slow = Buffer.from(clone);
    slow.writeInt32LE(0x7fffffff, at + 1);
    const spent = startStopwatch();
    assert.equal(extracted(asyncrat, slow), undefined);
    assert.ok(spent() < 10_000);
  });

  it('contain no invisible character and no unlimited text', () => {
    const found = read(changed('Default', `__proto__\u0000\u202e\u001b[31m${'x'.repeat(50_000)}`));
    assert.ok((found.campaign?.[0]?.length ?? 0) < 1_000);
    assert.doesNotMatch(JSON.stringify(found), /\u202e|\\u001b|\\u0000/);
  });

  it('stop when the time budget is used up', () => {
    assert.equal(extracted(asyncrat, plain, { isOver: () => true }), undefined);
  });

  it('do not fail on hostile files', () => {
    // Key derivation is slow, so the number of runs is small.
    const afterOne = () => {
      let asked = 0;
      return () => {
        asked += 1;
        return asked > 1;
      };
    };
    const settings = fuzzSettings();
    for (const [name, share] of [
      ['clone', 3],
      ['template', 1],
    ] as const)
      fc.assert(
        fc.property(hostileVariants(sample(name)), (bytes) => {
          extracted(asyncrat, bytes, { isOver: afterOne() });
        }),
        { ...settings, numRuns: Math.ceil(settings.numRuns / share) },
      );
  });
});
