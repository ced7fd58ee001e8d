import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../test/analysis/extraction.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { startStopwatch } from '../../../test/stopwatch.ts';
import { rc4 } from '../codecs/rc4.ts';
import { parsePe } from '../formats/pe/pe.ts';
import { addressOf } from './c2s.ts';
import { remcos } from './remcos.ts';

const read = (name: string) => extracted(remcos, fixture(`analysis/families/${name}`));

const KEY = Buffer.from('key of a test');
const DELIMITER = Buffer.from([0x7c, 0x1e, 0x1e, 0x1f, 0x7c]);

/** The key and the fields encrypted with it. */
function encrypted(plain: Buffer): Buffer {
  return Buffer.concat([Buffer.from([KEY.length]), KEY, rc4(KEY, plain)]);
}

function joined(fields: readonly string[], delimiter = DELIMITER): Buffer {
  return Buffer.concat(fields.flatMap((field) => [Buffer.from(field, 'latin1'), delimiter]));
}

/** A program with these settings in its overlay, where its resource points to. */
function programWith(settings: Buffer): Buffer {
  const program = fixture('analysis/families/remcos-plain.exe');
  const file = parsePe(program);
  const { offset, size } = file?.resources[0] ?? { offset: 0, size: 0 };
  const settingsOffset = 0x2_0000;
  const leaf = program.indexOf(Buffer.from(Uint32Array.of(size).buffer)) - 4;
  assert.equal(file?.rvaToOffset(program.readUInt32LE(leaf)), offset);
  const whole = Buffer.alloc(settingsOffset + settings.length);
  program.copy(whole);
  settings.copy(whole, settingsOffset);
  whole.writeUInt32LE(settingsOffset, leaf);
  whole.writeUInt32LE(settings.length, leaf + 4);
  return whole;
}

/** A program with a second resource of the same name in another language. */
function programWithTwo(first: Buffer, second: Buffer): Buffer {
  const program = programWith(Buffer.concat([first, second]));
  const section = parsePe(program)?.sections.find(({ name }) => name === '.rsrc');
  assert.ok(section !== undefined);
  const tree = program.subarray(section.rawOffset, section.rawOffset + section.rawSize);
  // Directories have 16 bytes and then entries of 8; types, names and languages have one each.
  const names = tree.readUInt32LE(20) & 0x7fff_ffff;
  const languages = tree.readUInt32LE(names + 20) & 0x7fff_ffff;
  const leaf = tree.readUInt32LE(languages + 20);
  const padding = tree.length - 64;
  assert.ok(tree.subarray(padding).every((byte) => byte === 0));
  tree.copy(tree, padding, languages, languages + 24);
  tree.writeUInt16LE(2, padding + 14);
  tree.writeUInt32LE(0x407, padding + 24);
  tree.writeUInt32LE(padding + 32, padding + 28);
  tree.copy(tree, padding + 32, leaf, leaf + 16);
  tree.writeUInt32LE(tree.readUInt32LE(leaf) + first.length, padding + 32);
  tree.writeUInt32LE(second.length, padding + 36);
  tree.writeUInt32LE(first.length, leaf + 4);
  tree.writeUInt32LE((0x8000_0000 | padding) >>> 0, names + 20);
  return program;
}

describe('settings of Remcos', () => {
  it('are read with all servers, IPv6 included, and capabilities', () => {
    assert.deepEqual(read('remcos-plain.exe'), {
      version: '4.9.4 Pro',
      campaign: ['RemoteHost'],
      mutex: ['Rmc-F1XTUR'],
      endpoints: [
        { protocol: 'tcp', usage: 'c2', host: 'rem.example.invalid', port: 2404 },
        { protocol: 'tcp', usage: 'c2', host: '192.0.2.24', port: 2405 },
        { protocol: 'tcp', usage: 'c2', host: '[2001:db8::24]', port: 2406 },
      ],
      other: {
        'Install Path': '%AppData%',
        'Install Folder': 'Remcos',
        'Install File': 'remcos.exe',
        License: '0123456789ABCDEF0123456789ABCDEF',
        'Certificate SHA-256': 'b0a4d362a0b75bfd7ebc922aaeaa63bd42943511bfe01edd4f284a0b2d62e0bf',
      },
      capabilities: [
        'SETTING_INSTALL',
        'SETTING_KEYLOGGER',
        'SETTING_SCREENSHOTS',
        'SETTING_UAC_BYPASS',
      ],
      offset: 3184,
    });
  });

  it('are read with the separators and switches of older versions', () => {
    assert.deepEqual(read('remcos-older.exe'), {
      version: '2.7.2 Light',
      campaign: ['Host'],
      mutex: ['remcos_fixture'],
      endpoints: [
        { protocol: 'tcp', usage: 'c2', host: 'one.example.invalid', port: 2404 },
        { protocol: 'tcp', usage: 'c2', host: 'two.example.invalid', port: 80 },
        { protocol: 'tcp', usage: 'c2', host: '198.51.100.2', port: 443 },
        // Not a valid host; reported unchanged.
        { protocol: 'tcp', usage: 'c2', host: 'not a host', port: 1 },
      ],
      other: {},
      capabilities: ['SETTING_KEYLOGGER', 'SETTING_MICROPHONE'],
      offset: 3184,
    });
  });

  it('are read with a digit for the folder, and certificates where later versions have them', () => {
    const fields = Array.from({ length: 60 }, () => '\0');
    fields[0] = 'a.example.invalid.:2404:1';
    fields[3] = '1';
    fields[9] = '8';
    fields[54] = '100';
    fields[55] = '\x30\x82\x01\0\x02\x01\0 a private key';
    fields[56] = '\x30\x82\x01\0\x30\x81 a certificate';
    const found = extracted(remcos, programWith(encrypted(joined(fields))));
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.deepEqual(found.other, {
      'Install Path': '%ProgramData%',
      'Certificate SHA-256': hash('sha256', Buffer.from(fields[56], 'latin1')),
    });
    const [server] = found.endpoints;
    assert.deepEqual(server && addressOf(server), { host: 'a.example.invalid', port: 2404 });
  });

  it('are read with file names in UTF-16LE, and in single bytes as in old versions', () => {
    const wide = (text: string) => Buffer.from(text, 'utf16le').toString('latin1');
    const names = [
      [wide('файл.exe'), 'файл.exe'],
      [wide('Папка'), 'Папка'],
      [wide('中文'), '中文'],
      [wide('a'), 'a'],
      ['remcos', 'remcos'],
      ['remco\0', 'remco'],
    ];
    for (const [field = '', name] of names) {
      const fields: string[] = new Array(60).fill('');
      fields[0] = 'a.example.invalid:2404:1';
      fields[3] = '1';
      fields[10] = field;
      const found = extracted(remcos, programWith(encrypted(joined(fields))));
      assert.ok(found !== undefined && 'endpoints' in found);
      assert.equal(found.other?.['Install File'], name);
    }
  });

  it('name no server if those of another language differ in it', () => {
    const settings = (host: string) =>
      encrypted(joined([`${host}:2404:1`, ...Array.from({ length: 20 }, () => 'x')]));
    const [first, second] = [settings('a.example.invalid'), settings('b.example.invalid')];
    const found = extracted(remcos, programWithTwo(first, second));
    assert.ok(found !== undefined && 'unread' in found, JSON.stringify(found));
    const same = extracted(remcos, programWithTwo(first, first));
    assert.ok(same !== undefined && 'endpoints' in same, JSON.stringify(same));
  });

  it('are recognised if they name no server', () => {
    assert.deepEqual(read('remcos-template.exe'), {
      unread: 'the settings name no server',
      offset: 3184,
    });
  });

  it('are not read if the key is wrong or the resource is truncated', () => {
    assert.equal(read('remcos-damaged.exe'), undefined);
    assert.equal(read('remcos-cut.exe'), undefined);
  });

  it('are not read with too few fields, without a key, or if empty', () => {
    const few = joined(['host.example.invalid:1:1', ...Array<string>(12).fill('')]);
    assert.equal(extracted(remcos, programWith(encrypted(few))), undefined);
    for (const bytes of [Buffer.alloc(0), Buffer.from([0]), Buffer.from([200, 1])])
      assert.equal(extracted(remcos, programWith(bytes)), undefined);
  });

  it('are read with both published separators', () => {
    const fields = ['a.example.invalid:7:1', 'botnet', ...Array<string>(20).fill('')];
    const other = joined(fields, Buffer.from('7c1f1e1e7c', 'hex'));
    const [one, two] = [joined(fields), other].map((plain) =>
      extracted(remcos, programWith(encrypted(plain))),
    );
    assert.ok(one !== undefined && 'endpoints' in one && one.endpoints.length === 1);
    assert.deepEqual(one, two);
    const third = joined(fields, Buffer.from('7c1e1f1e7c', 'hex'));
    assert.equal(extracted(remcos, programWith(encrypted(third))), undefined);
  });

  it('are limited to the maximum number of servers', () => {
    const rest = Array<string>(20).fill('');
    const fields = joined(['a.example.invalid:1:1\x1e'.repeat(1_000_000), ...rest]);
    const program = programWith(encrypted(fields));
    const spent = startStopwatch();
    const found = extracted(remcos, program);
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.equal(found.endpoints.length, 1000);
    assert.ok(spent() < 25_000);
    assert.equal(extracted(remcos, program, { bytes: 1000 }), undefined);
  });

  it('have invisible characters escaped', () => {
    const fields = [
      'a.example.invalid:65536:1|a.example.invalid:7:1',
      'x'.repeat(9000),
      '',
      '\x01',
    ];
    const more = [...fields, ...Array<string>(10).fill(''), '__proto__', ''];
    const found = extracted(remcos, programWith(encrypted(joined(more))));
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.deepEqual(found.endpoints, [
      { protocol: 'tcp', usage: 'c2', host: 'a.example.invalid', port: 7 },
    ]);
    assert.equal(found.campaign?.[0]?.length, 512);
    assert.deepEqual(found.mutex, ['__proto__']);
  });

  it('do not fail on arbitrary files and settings', () => {
    const good = fixture('analysis/families/remcos-plain.exe');
    fc.assert(
      fc.property(hostileVariants(good), (bytes) => void extracted(remcos, bytes)),
      fuzzSettings(),
    );
    const fields = joined(['a.example.invalid:7:1', ...Array<string>(58).fill('\x01')]);
    fc.assert(
      fc.property(hostileVariants(fields), (plain) => {
        void extracted(remcos, programWith(encrypted(plain)));
      }),
      fuzzSettings(),
    );
  });
});
